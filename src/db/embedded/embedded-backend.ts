import type { Results, Transaction } from '@electric-sql/pglite';
import { type Clock, crashPoint, type Log, Loop, messageOf, type NextPass } from '../../base/index.ts';
import type { SqlResult } from '../sql.ts';
import { sqlError } from '../sql-errors.ts';
import type { Backend, Session } from '../sql-over-backend.ts';
import { type Engine, keepExitCode, startEngine } from './engine.ts';
import type { EngineEnded } from './guard-engine.ts';
import { EmbeddedUpkeep } from './upkeep.ts';

interface Listener {
  channel: string;
  receive: (payload: string | undefined) => void;
}
interface Running {
  engine: Engine;
  upkeep: EmbeddedUpkeep;
}

export interface EmbeddedBackendOptions {
  root: string;
  clock: Clock;
  log: Log;
  /** This process no longer uses the directory. */
  closed: () => void;
}

/**
 * Starting the engine blocks the process for about a second, so a disk that stays broken is not tried all the time,
 * neither if the engine does not start nor if it ends before it wrote anything.
 */
const PAUSES = { firstMs: 250, maxMs: 15_000 };

/**
 * One engine at a time on a directory. If it ends in the middle of its work, because the log could not be written, all
 * callers get `unavailable`, as from a crashed server, and another one is started from what is on disk.
 */
export class EmbeddedBackend implements Backend {
  readonly dialect = 'embedded';
  readonly room = { atOnce: 1, perParty: 1, sharesThread: true };
  readonly #root: string;
  readonly #log: Log;
  readonly #closed: () => void;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  readonly #restarting: Loop;
  #running: Running | undefined;
  #ended: EngineEnded | undefined;
  /** Engines in a row that ended before they wrote anything. */
  #inVain = 0;
  #notBefore = 0;

  constructor({ root, clock, log, closed }: EmbeddedBackendOptions) {
    this.#root = root;
    this.#log = log;
    this.#clock = clock;
    this.#closed = closed;
    this.#restarting = new Loop({
      name: 'embedded database',
      clock,
      pass: () => this.#restart(),
      backoff: PAUSES,
      onTrouble: (trouble) =>
        trouble && log.warn('the embedded database does not start again', { error: trouble.message }),
    });
  }

  async start(): Promise<void> {
    const engine = await startEngine(this.#root, (error) => this.#lost(error));
    this.#running = { engine, upkeep: new EmbeddedUpkeep(engine.db, engine.segments, this.#log) };
    for (const { channel, receive } of this.#listeners) await engine.db.listen(channel, receive);
  }

  async query(text: string, values: (string | null)[]): Promise<SqlResult<unknown>> {
    const { engine, upkeep } = this.#now;
    return sessionOn(engine.db, () => upkeep.afterCommit()).query(text, values);
  }

  async exec(text: string): Promise<void> {
    const { engine, upkeep } = this.#now;
    return sessionOn(engine.db, () => upkeep.afterCommit()).exec(text);
  }

  async transaction<T>(use: (session: Session) => Promise<T>): Promise<T> {
    const { engine, upkeep } = this.#now;
    let failure: { error: unknown } | undefined;
    const run = engine.db.transaction(async (tx) => {
      try {
        const value = await use(sessionOn(tx, () => {}));
        crashPoint('db.before-commit');
        return value;
      } catch (error) {
        failure = { error };
        throw error;
      }
    });
    // The caller's own errors pass unchanged; errors of BEGIN and COMMIT are translated.
    const value = await run.catch((error) => {
      throw failure ? failure.error : sqlError(error);
    });
    crashPoint('db.after-commit');
    upkeep.afterCommit();
    return value;
  }

  async listen(channel: string, receive: Listener['receive']): Promise<() => Promise<void>> {
    const listener: Listener = { channel, receive };
    await mapped(this.#now.engine.db.listen(channel, receive));
    this.#listeners.add(listener);
    return async () => {
      this.#listeners.delete(listener);
      await mapped(this.#running?.engine.db.unlisten(channel, receive) ?? Promise.resolve());
    };
  }

  async close(): Promise<void> {
    try {
      await this.#restarting.stop();
      await this.#running?.upkeep.settled();
      const { engine } = this.#running ?? {};
      if (engine) await mapped(keepExitCode(() => engine.db.close()));
    } finally {
      this.#closed();
    }
  }

  get #now(): Running {
    if (this.#running) return this.#running;
    throw sqlError(this.#ended);
  }

  /** Called while the engine is still on the stack. If it ends while starting, the code that starts it handles that. */
  #lost(error: EngineEnded): void {
    if (!this.#running) return;
    const { engine } = this.#running;
    this.#running = undefined;
    this.#ended = error;
    this.#inVain = engine.hasWritten() ? 1 : this.#inVain + 1;
    const pause = Math.min(PAUSES.maxMs, PAUSES.firstMs * 2 ** Math.min(20, this.#inVain - 1));
    this.#notBefore = this.#clock.monotonic() + pause;
    queueMicrotask(() => engine.abandon());
    this.#log.error('the embedded database ended and is started again', { error: messageOf(error.cause) });
    this.#restarting.start().wake();
  }

  async #restart(): Promise<NextPass> {
    if (this.#running) return 'idle';
    const early = this.#notBefore - this.#clock.monotonic();
    if (early > 0) return early;
    await this.start();
    this.#log.info('the embedded database runs again');
    for (const { receive } of this.#listeners) receive(undefined);
    return 'idle';
  }
}

async function mapped<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw sqlError(error);
  }
}

function sessionOn(on: Pick<Transaction, 'query' | 'exec'>, committed: () => void): Session {
  return {
    async query(text, values): Promise<SqlResult<unknown>> {
      const { rows, rowCount }: Results<unknown> = await mapped(on.query(text, values));
      committed();
      return { rows, rowCount: rowCount ?? 0 };
    },
    async exec(text) {
      await mapped(on.exec(text));
      committed();
    },
  };
}
