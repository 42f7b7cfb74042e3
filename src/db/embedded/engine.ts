import type { PGlite } from '@electric-sql/pglite';
import { partMissing } from '../../base/index.ts';
import { DECODERS } from '../sql-columns.ts';
import { embeddedDisk } from './disk.ts';
import type { EngineEnded } from './guard-engine.ts';

/** PostgreSQL running on a directory, until it is closed or ends on its own. */
export interface Engine {
  db: PGlite;
  /** How many 16 MiB files the write-ahead log has started since opening. */
  segments(): number;
  /** Whether the log was synced since the engine was ready. */
  hasWritten(): boolean;
  /** Closes what an ended engine left open. */
  abandon(): void;
}

/** Loads PGlite on first use. Committed work is there again, even if the engine before ended in the middle. */
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

/** Restores the exit code of the process, which the WebAssembly runtime sets when it starts and ends. */
export async function keepExitCode<T>(work: () => Promise<T>): Promise<T> {
  const before = process.exitCode;
  try {
    return await work();
  } finally {
    process.exitCode = before;
  }
}
