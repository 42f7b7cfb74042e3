import type { Log } from '../base/index.ts';
import type { Sql } from '../db/index.ts';
import { CLOSED_TICKETS, SERVER_SETTINGS, type ServerSettingName, sqlList } from '../domain/index.ts';
import type { Sweep } from './sweep/index.ts';

/** How many days ended things are kept. Open ones are kept however old they are. */
export interface Keeping {
  /** Delivered messages, with their keys and answers. */
  messages: number;
  /** Undeliverable messages, which may be replayed. */
  deadLetters: number;
  /** Requests that were answered or cancelled, with their threads and events. */
  requests: number;
  /** Records of remote calls: who asked what of which agent. */
  calls: number;
}

const MAX_DAYS = 36_500;
const BATCH = 500;

/** Reads the environment. A typo must not delete anything: it is logged, and the default is used. */
export function keepingOf(env: Readonly<Record<string, string | undefined>>, log: Log): Keeping {
  const days = (name: ServerSettingName): number => {
    const { variable, fallback } = SERVER_SETTINGS[name];
    const text = env[variable]?.trim();
    if (!text) return fallback;
    if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_DAYS) return Number(text);
    log.warn(`${variable} must be a whole number of days from 1 to ${MAX_DAYS}; using the default`, {
      value: text.slice(0, 40),
      default: fallback,
    });
    return fallback;
  };
  return {
    messages: days('keepMessagesDays'),
    deadLetters: days('keepDeadLettersDays'),
    requests: days('keepRequestsDays'),
    calls: days('keepCallsDays'),
  };
}

const OLD = {
  requests: `SELECT id FROM requests WHERE status IN ${sqlList(CLOSED_TICKETS)}
      AND updated_at < now() - make_interval(days => $1::int) ORDER BY updated_at`,
  gateway_calls: `SELECT id FROM gateway_calls WHERE made_at < now() - make_interval(days => $1::int) ORDER BY made_at`,
};

type Table = keyof typeof OLD;

/** Runs once an hour, in small batches that skip locked rows. Messages have a sweep of their own. */
export function retentionSweep({ requests, calls }: Keeping): Sweep {
  const days: Record<Table, number> = { requests, gateway_calls: calls };
  return {
    name: 'retention',
    summary: 'Deletes requests and calls that ended long ago',
    intervalMs: 3_600_000,
    facts: { requests_days: requests, calls_days: calls },
    mayHaveWork: async (sql) => Object.values(await waiting(sql, days)).some((count) => count > 0),
    run: async ({ sql, dryRun, signal }) => {
      if (dryRun) return waiting(sql, days);
      const [found, called] = [
        await remove(sql, 'requests', { days: requests, signal }),
        await remove(sql, 'gateway_calls', { days: calls, signal }),
      ];
      return { requests: found, gateway_calls: called };
    },
  };
}

async function remove(
  sql: Sql,
  table: Table,
  { days, signal }: { days: number; signal: AbortSignal },
): Promise<number> {
  let removed = 0;
  while (!signal.aborted) {
    const { rowCount } = await sql.query(
      `DELETE FROM ${table} WHERE id = ANY(ARRAY(${OLD[table]} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED))`,
      [days],
    );
    removed += rowCount;
    if (rowCount < BATCH) break;
  }
  return removed;
}

/** Counts up to one batch per table. */
async function waiting(sql: Sql, days: Record<Table, number>): Promise<Record<Table, number>> {
  const count = async (table: Table): Promise<number> => {
    const text = `SELECT count(*)::int AS n FROM (${OLD[table]} LIMIT ${BATCH}) found`;
    return (await sql.query<{ n: number }>(text, [days[table]])).rows[0]!.n;
  };
  return { requests: await count('requests'), gateway_calls: await count('gateway_calls') };
}
