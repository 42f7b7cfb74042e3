import { type ErrorCode, isRouseError, messageOf, RouseError } from '../base/index.ts';

interface ServerError {
  code?: unknown;
  constraint?: unknown;
  table?: unknown;
  detail?: unknown;
}

/** Reasons by SQLSTATE or its class. Anything else is our fault. */
const KNOWN: Record<string, { code: ErrorCode; hint?: string }> = {
  '23505': { code: 'conflict' },
  '23P01': { code: 'conflict' },
  '22021': { code: 'invalid', hint: 'remove the NUL character or broken text' },
  '22P05': { code: 'invalid', hint: 'remove the NUL character' },
  '40001': { code: 'unavailable', hint: 'another change came first; try again' },
  '40P01': { code: 'unavailable', hint: 'another change came first; try again' },
  '55P03': { code: 'unavailable', hint: 'another session holds the lock; try again' },
  '57014': { code: 'unavailable', hint: 'the statement took longer than its time limit' },
  '25P03': { code: 'unavailable', hint: 'a transaction was left idle for too long' },
  '25006': { code: 'unavailable', hint: 'the database only takes reads now' },
  '42501': {
    code: 'unavailable',
    hint: 'give the database user the right to do this, and make sure that its disk can be written',
  },
  '3D000': { code: 'unavailable', hint: 'create the database, or correct its name in the URL' },
  '08': { code: 'unavailable', hint: 'check that the database server runs and can be reached' },
  '28': { code: 'unavailable', hint: 'check user and password of the database URL' },
  '53': { code: 'unavailable', hint: 'the database server has run out of disk, memory or connections' },
  '57': { code: 'unavailable', hint: 'the database server is stopping or starting; try again' },
  '58': { code: 'unavailable', hint: 'look at the log of the database server' },
};

const UNREACHABLE = { code: 'unavailable', hint: KNOWN['08']?.hint } as const;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Turns a client error into a RouseError. `facts` keep `sqlstate`, `constraint` and `table`. */
export function sqlError(error: unknown): RouseError {
  if (isRouseError(error)) return error;
  const { code, constraint, table } = (error ?? {}) as ServerError;
  if (typeof code === 'string' && SQLSTATE.test(code)) {
    const known = KNOWN[code] ?? KNOWN[code.slice(0, 2)] ?? { code: 'internal' as const };
    const facts: Record<string, unknown> = { sqlstate: code };
    if (constraint) facts['constraint'] = constraint;
    if (table) facts['table'] = table;
    return new RouseError(known.code, `database: ${messageOf(error)}`, {
      hint: known.hint,
      facts,
      cause: error,
    });
  }
  if (isClientsTimeLimit(error))
    return new RouseError('unavailable', 'database: the statement took longer than its time limit', {
      hint: 'look whether the change is there before making it again',
      facts: { outcome: 'unknown' },
      cause: error,
    });
  const known = isConnectionTrouble(error) ? UNREACHABLE : { code: 'internal' as const, hint: undefined };
  return new RouseError(known.code, `database: ${describe(error)}`, { hint: known.hint, cause: error });
}

/** The client reports lost and refused connections as system errors, or only in words. */
function isConnectionTrouble(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && /^(E[A-Z]+|CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS|ERR_SSL)/.test(code))
    return true;
  return /connection (terminated|timeout|error)|timeout (exceeded|expired)|SSL|not queryable|pool after/i.test(
    messageOf(error),
  );
}

/** The client's own time limit. The server continues with the statement. */
function isClientsTimeLimit(error: unknown): boolean {
  return messageOf(error) === 'Query read timeout';
}

/** Node leaves the message empty for a connection refused at several addresses; its parts say more. */
function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return messageOf(error);
}

export function sqlStateOf(error: unknown): string | undefined {
  const state = isRouseError(error) ? error.facts['sqlstate'] : undefined;
  return typeof state === 'string' ? state : undefined;
}

/**
 * The database itself cannot be reached, is full or denies us access, so the same would fail for everyone. Not true for
 * a lock, a time limit or a conflict of one statement.
 */
export function isDatabaseAway(error: unknown): boolean {
  if (!isRouseError(error) || error.code !== 'unavailable') return false;
  const state = sqlStateOf(error);
  if (state === undefined) return isConnectionTrouble(error.cause);
  return AWAY.test(state) && state !== '57014';
}

const AWAY = /^(08|28|53|57|58|3D000|25006|42501)/;

/** Work that needs new space is refused; work that fits into existing space is still accepted. */
export function isDatabaseFull(error: unknown): boolean {
  return sqlStateOf(error) === '53100';
}

/** Two transactions conflicted; running this one again may succeed. */
export function isSerializationFailure(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state === '40001' || state === '40P01';
}
