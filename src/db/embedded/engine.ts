import type { PGlite } from '@electric-sql/pglite';
import { partMissing } from '../../base/index.ts';
import { DECODERS } from '../sql-columns.ts';
import { embeddedDisk } from './disk.ts';
import type { EngineEnded } from './guard-engine.ts';

/** PostgreSQL running on a directory, until it is closed or ends by itself. */
export interface Engine {
  db: PGlite;
  /** How many files of 16 MiB the write-ahead log has begun since opening. */
  segments(): number;
  /** Whether the log was brought to disk since it was ready. */
  hasWritten(): boolean;
  /** Closes what an engine that ended has left open. */
  abandon(): void;
}

/** Loads PGlite on first use. What was committed before is there again, also when the one before ended in the middle. */
export async function startEngine(root: string, onEnd: (error: EngineEnded) => void): Promise<Engine> {
  const [{ PGlite }, { NodeFS }] = await Promise.all([
    import('@electric-sql/pglite'),
    import('@electric-sql/pglite/nodefs'),
  ]).catch((error: unknown) => Promise.reject(partMissing('@electric-sql/pglite', error)));
  const { options, segments, syncs, abandon } = embeddedDisk(PGlite, NodeFS, { root, onEnd });
  try {
    const db = await keepExitCode(() => PGlite.create({ ...options }));
    for (const type of Object.keys(db.serializers)) db.serializers[type] = (text: string) => text;
    for (const [type, decode] of DECODERS) db.parsers[type] = decode;
    const before = syncs();
    return { db, segments, hasWritten: () => syncs() > before, abandon };
  } catch (error) {
    abandon();
    throw error;
  }
}

/** The WebAssembly runtime sets the exit code of the process when it starts and ends. */
export async function keepExitCode<T>(work: () => Promise<T>): Promise<T> {
  const before = process.exitCode;
  try {
    return await work();
  } finally {
    process.exitCode = before;
  }
}
