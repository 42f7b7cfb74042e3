/** The engine's functions that PGlite calls, and how the engine exits when PostgreSQL reports an ordinary error. */
const ENTRIES = [
  '_PostgresMainLoopOnce',
  '_PostgresMainLongJmp',
  '_PostgresSendReadyForQueryIfNecessary',
  '_pq_buffer_remaining_data',
  '_pgl_pq_flush',
  'stackSave',
  'stackRestore',
] as const;
const ORDINARY_ERROR = 100;

type Entry = (...args: unknown[]) => unknown;
export type EngineModule = { [name in (typeof ENTRIES)[number]]: Entry };

/** Thrown by every call after the engine ended. The SQLSTATE is that of a crashed server. */
export class EngineEnded extends Error {
  readonly code = '57P02';

  constructor(cause: unknown) {
    super('the embedded database ended in the middle of its work', { cause });
  }
}

/**
 * PostgreSQL ends its process if it cannot write its log. Here there is only an exception, which PGlite treats as an
 * error of a statement: it would call the dead engine again for ever. So the first thrown value that is not an ordinary
 * error ends the engine for good, and no call enters it any more.
 */
export function guardEngine(module: EngineModule, onEnd: (error: EngineEnded) => void): void {
  let ended: EngineEnded | undefined;
  for (const name of ENTRIES) {
    const enter = module[name];
    module[name] = (...args) => {
      if (ended) throw ended;
      try {
        return enter(...args);
      } catch (error) {
        if ((error as { status?: unknown } | null)?.status === ORDINARY_ERROR) throw error;
        ended = new EngineEnded(error);
        onEnd(ended);
        throw ended;
      }
    };
  }
}
