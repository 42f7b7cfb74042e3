import * as path from 'node:path';
import type { PGlite, Results, Transaction } from '@electric-sql/pglite';
import {
  crashPoint,
  internal,
  isRouseError,
  type Log,
  messageOf,
  type RouseError,
  silentLog,
} from '../../base/index.ts';
import type { Sql, SqlResult } from '../sql.ts';
import { DECODERS } from '../sql-columns.ts';
import { sqlError } from '../sql-errors.ts';
import { type Backend, type Session, sqlOver } from '../sql-over-backend.ts';
import { ensureEmbeddedDirectory, lockEmbeddedDirectory } from './directory.ts';
import { embeddedDisk } from './disk.ts';
import { EmbeddedUpkeep } from './upkeep.ts';

export interface EmbeddedOptions {
  /** Where the database lives; made when it is not there. `<directory>.lock` beside it says who has it. */
  directory: string;
  /** Keep an initialised copy here, so that the next new database starts in a fraction of the time. */
  templateDirectory?: string;
  /** Where a release keeps an initialised database, packed; used when it is there. */
  archiveDirectory?: string;
  log?: Log;
}

/**
 * PostgreSQL in this process, for one process and for one statement at a time. `conflict` when another process has the
 * directory. Loads PGlite on first use.
 */
export async function openEmbedded({
  directory,
  templateDirectory: templates,
  archiveDirectory: archives,
  log = silentLog,
}: EmbeddedOptions): Promise<Sql> {
  const root = path.resolve(directory);
  const lock = lockEmbeddedDirectory(root);
  try {
    await ensureEmbeddedDirectory(root, { templates, archives });
    const [{ PGlite }, { NodeFS }] = await Promise.all([
      import('@electric-sql/pglite'),
      import('@electric-sql/pglite/nodefs'),
    ]);
    const disk = embeddedDisk(PGlite, NodeFS, root);
    const db = await keepExitCode(() => PGlite.create({ ...disk.options }));
    for (const type of Object.keys(db.serializers)) db.serializers[type] = (text: string) => text;
    for (const [type, decode] of DECODERS) db.parsers[type] = decode;
    const upkeep = new EmbeddedUpkeep(db, disk.segments, log);
    return sqlOver(new EmbeddedBackend(db, upkeep, () => lock.release()));
  } catch (error) {
    lock.release();
    throw isRouseError(error) ? error : unreadable(root, error);
  }
}

function unreadable(directory: string, error: unknown): RouseError {
  return internal(`the embedded database at ${directory} could not be opened: ${messageOf(error)}`, {
    hint: 'move the directory aside, or restore it from a backup',
    cause: error,
  });
}

/** The WebAssembly runtime sets the exit code of the process when it starts and ends. */
async function keepExitCode<T>(work: () => Promise<T>): Promise<T> {
  const before = process.exitCode;
  try {
    return await work();
  } finally {
    process.exitCode = before;
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

class EmbeddedBackend implements Backend {
  readonly dialect = 'embedded';
  readonly query: Session['query'];
  readonly exec: Session['exec'];
  #db: PGlite;
  #upkeep: EmbeddedUpkeep;
  #release: () => void;

  constructor(db: PGlite, upkeep: EmbeddedUpkeep, release: () => void) {
    this.#db = db;
    this.#upkeep = upkeep;
    this.#release = release;
    ({ query: this.query, exec: this.exec } = sessionOn(db, () => upkeep.afterCommit()));
  }

  async transaction<T>(use: (session: Session) => Promise<T>): Promise<T> {
    let failure: { error: unknown } | undefined;
    const run = this.#db.transaction(async (tx) => {
      try {
        const value = await use(sessionOn(tx, () => {}));
        crashPoint('db.before-commit');
        return value;
      } catch (error) {
        failure = { error };
        throw error;
      }
    });
    // What the caller threw leaves as it is; what the database says about BEGIN and COMMIT is translated.
    const value = await run.catch((error) => {
      throw failure ? failure.error : sqlError(error);
    });
    crashPoint('db.after-commit');
    this.#upkeep.afterCommit();
    return value;
  }

  async listen(channel: string, hear: (payload: string | undefined) => void): Promise<() => Promise<void>> {
    const stop = await mapped(this.#db.listen(channel, (payload) => hear(payload)));
    return () => mapped(stop());
  }

  async close(): Promise<void> {
    await this.#upkeep.settled();
    try {
      await mapped(keepExitCode(() => this.#db.close()));
    } finally {
      this.#release();
    }
  }
}
