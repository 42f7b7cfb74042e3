import { AsyncLocalStorage } from 'node:async_hooks';
import { internal, invalid, unavailable } from '../base/index.ts';
import { FairLanes, type Room } from './fair-lanes.ts';
import { type Hint, HintSender } from './hint-sender.ts';
import type { QueryOptions, Sql, SqlResult, SqlValue, TransactionOptions } from './sql.ts';
import { encodeParams } from './sql-parameters.ts';
import { refuseNul } from './sqlite/text-border.ts';

/** One connection that runs statements. Its errors are already RouseErrors. */
export interface Session {
  query(text: string, values: (string | null)[], options?: QueryOptions): Promise<SqlResult<unknown>>;
  exec(text: string): Promise<void>;
}

/** What differs between the databases. */
export interface Backend extends Session {
  readonly dialect: Sql['dialect'];
  readonly room: Room;
  /** BEGIN, `use`, COMMIT; ROLLBACK if it throws. Throws if the database turned the commit into a rollback. */
  transaction<T>(use: (session: Session) => Promise<T>): Promise<T>;
  listen(channel: string, receive: (payload: string | undefined) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

interface Scope {
  backend: Backend;
  open: boolean;
  /** Sent after the whole transaction is committed. */
  hints: Hint[];
}

/** The transaction of the running code, to turn a certain deadlock into an error. */
const scopes = new AsyncLocalStorage<Scope>();

export function sqlOver(backend: Backend): Sql {
  const running = new Set<Promise<unknown>>();
  const lanes = new FairLanes(backend.room);
  const notifier = new HintSender(backend);
  let closing: Promise<void> | undefined;

  /** Starts work that close() waits for. */
  async function start<T>(work: () => Promise<T>): Promise<T> {
    if (closing !== undefined) throw unavailable('the database is closed');
    refuseInsideOwnTransaction(backend);
    const mine = lanes.run(work);
    running.add(mine);
    try {
      return await mine;
    } finally {
      running.delete(mine);
    }
  }

  return {
    dialect: backend.dialect,
    query: <T>(text: string, params: readonly SqlValue[] = [], options?: QueryOptions) =>
      start(() => ask<T>(backend, { text, params, options })),
    exec: (text) => start(() => script(backend, text)),
    transaction: (fn, options) =>
      start(async () => {
        const hints: Hint[] = [];
        const value = await backend.transaction(async (session) => {
          await setModes(session, options);
          return inScope({ backend, open: true, hints }, session, 1, fn);
        });
        notifier.add(hints);
        return value;
      }),
    notify: (channel, payload) => notifier.add([hintOf(channel, payload)]),
    listen: (channel, receive) =>
      start(async () => {
        refuseOddChannel(channel);
        return backend.listen(channel, receive);
      }),
    async close() {
      refuseInsideOwnTransaction(backend);
      closing ??= Promise.allSettled(running)
        .then(() => notifier.settled())
        .then(() => backend.close());
      return closing;
    },
  };
}

interface Statement {
  text: string;
  params: readonly SqlValue[];
  options: QueryOptions | undefined;
}

async function ask<T>(session: Session, { text, params, options }: Statement): Promise<SqlResult<T>> {
  refuseNul(text, 'SQL text');
  return (await session.query(text, encodeParams(params), options)) as SqlResult<T>;
}

async function script(session: Session, text: string): Promise<void> {
  refuseNul(text, 'SQL text');
  await session.exec(text);
}

function refuseInsideOwnTransaction(backend: Backend): void {
  const scope = scopes.getStore();
  if (!scope?.open || scope.backend !== backend) return;
  throw internal('inside a transaction use only the Sql passed to it, or it would wait for itself');
}

function refuseOddChannel(channel: string): void {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(channel)) return;
  throw invalid(`"${channel}" cannot be the name of a channel`, {
    hint: 'use a-z, 0-9 and _, at most 63 characters',
  });
}

function hintOf(channel: string, payload: string): Hint {
  refuseOddChannel(channel);
  refuseNul(payload, 'the payload');
  return { channel, payload };
}

async function setModes(session: Session, { isolation, readOnly }: TransactionOptions = {}): Promise<void> {
  const modes = [...(isolation ? [`ISOLATION LEVEL ${isolation}`] : []), ...(readOnly ? ['READ ONLY'] : [])];
  if (modes.length > 0) await session.exec(`SET TRANSACTION ${modes.join(', ')}`);
}

async function inScope<T>(
  scope: Scope,
  session: Session,
  depth: number,
  fn: (sql: Sql) => Promise<T>,
): Promise<T> {
  try {
    return await scopes.run(scope, () => fn(sqlInTransaction(scope, session, depth)));
  } finally {
    scope.open = false;
  }
}

function sqlInTransaction(scope: Scope, session: Session, depth: number): Sql {
  const refuseEnded = (): void => {
    if (!scope.open) throw internal('the transaction has ended; something in it was not awaited');
  };
  const notHere = (what: string) => async () => {
    throw internal(`${what} is not possible inside a transaction`);
  };
  return {
    dialect: scope.backend.dialect,
    async query<T>(text: string, params: readonly SqlValue[] = [], options?: QueryOptions) {
      refuseEnded();
      return ask<T>(session, { text, params, options });
    },
    async exec(text) {
      refuseEnded();
      await script(session, text);
    },
    async transaction(fn, options) {
      refuseEnded();
      if (options) throw internal('a nested transaction has the modes of the outer one');
      const hints: Hint[] = [];
      const inner: Scope = { backend: scope.backend, open: true, hints };
      const value = await inSavepoint(session, `s${depth}`, () => inScope(inner, session, depth + 1, fn));
      scope.hints.push(...hints);
      return value;
    },
    notify(channel, payload) {
      refuseEnded();
      scope.hints.push(hintOf(channel, payload));
    },
    listen: notHere('listen()'),
    close: notHere('close()'),
  };
}

async function inSavepoint<T>(session: Session, name: string, work: () => Promise<T>): Promise<T> {
  await session.exec(`SAVEPOINT ${name}`);
  try {
    const value = await work();
    await session.exec(`RELEASE ${name}`);
    return value;
  } catch (error) {
    // If this fails too, the connection is lost and the outer transaction ends on its own.
    await session.exec(`ROLLBACK TO ${name}; RELEASE ${name}`).catch(() => {});
    throw error;
  }
}
