import { isRouseError } from '../../src/base/index.ts';

/** An act that writes and whose effect can be found afterwards. */
export interface Act {
  name: string;
  /** Prepares what must exist before; no write is refused yet. */
  prepare?(id: string): Promise<void>;
  /** Throws if it was refused. */
  run(id: string): Promise<void>;
  /** The same act repeated after a refusal. Default: `run` again. */
  again?(id: string): Promise<void>;
  /** Returns how often the effect exists. Throws if it exists half. */
  count(id: string): Promise<number>;
  /** Waits for background work, both while the write is refused and after. */
  settle?(): Promise<void>;
}

/** How an act ended of which one write was refused. */
export interface Tried {
  act: string;
  errno: string;
  nth: number;
  /** The refused write; null: the act has fewer writes. */
  at: string | null;
  said: 'done' | { code: string; message: string; hint: string | null };
  /** How often its effect existed after that, and after it was repeated. */
  then: number;
  finally: number;
}

export interface Refusals {
  errnos: readonly string[];
  /** Which writes of an act are tried: all, or a few at random. */
  isTried: (act: string, errno: string, nth: number) => boolean;
  setFaults: (wanted: string) => string[];
}

/** More writes than any act has; beyond this the harness is broken. */
const TOO_MANY = 200;

/** Runs each act with its first write refused, then its second, until it has no more. */
export async function* everyWrite(acts: readonly Act[], refusals: Refusals): AsyncGenerator<Tried> {
  for (const act of acts) {
    for (const errno of refusals.errnos) {
      for (let nth = 1; nth < TOO_MANY; nth++) {
        if (!refusals.isTried(act.name, errno, nth)) continue;
        const tried = await refuseOne(act, { errno, nth, setFaults: refusals.setFaults });
        yield tried;
        if (tried.at === null) break;
      }
    }
  }
}

async function refuseOne(
  act: Act,
  { errno, nth, setFaults }: { errno: string; nth: number; setFaults: Refusals['setFaults'] },
): Promise<Tried> {
  const id = `${act.name}-${errno}-${nth}`.toLowerCase();
  await act.prepare?.(id);
  const before = setFaults(`${errno} ${nth}`).length;
  const said = await act.run(id).then(() => 'done' as const, refusal);
  await act.settle?.();
  const [at = null] = setFaults('').slice(before);
  const then = await act.count(id);
  if (said !== 'done') await (act.again ?? act.run)(id);
  await act.settle?.();
  return { act: act.name, errno, nth, at, said, then, finally: await act.count(id) };
}

function refusal(error: unknown): Exclude<Tried['said'], 'done'> {
  const message = error instanceof Error ? error.message : String(error);
  if (!isRouseError(error)) return { code: 'not explained', message, hint: null };
  return { code: error.code, message, hint: error.hint ?? null };
}
