import { isRouseError } from '../../src/base/index.ts';

/** Something that is done by writing, and can be looked for afterwards. */
export interface Act {
  name: string;
  /** What must be there before; nothing is refused yet. */
  prepare?(id: string): Promise<void>;
  /** Throws when it was refused. */
  run(id: string): Promise<void>;
  /** The same by somebody who was refused. By default, `run` again. */
  again?(id: string): Promise<void>;
  /** How often it is there. Throws when it is there by half. */
  count(id: string): Promise<number>;
  /** What goes on in the background comes to its end: while the write is refused, and after. */
  settle?(): Promise<void>;
}

/** What became of one act of which one write was refused. */
export interface Tried {
  act: string;
  errno: string;
  nth: number;
  /** The write that was refused; null: there are not so many. */
  at: string | null;
  said: 'done' | { code: string; message: string; hint: string | null };
  /** How often it was there after that, and after it was asked for again. */
  then: number;
  finally: number;
}

export interface Refusals {
  errnos: readonly string[];
  /** Which writes of an act are tried: all of them, or a few drawn at random. */
  isTried: (act: string, errno: string, nth: number) => boolean;
  setFaults: (wanted: string) => string[];
}

/** More writes than any act has: it is the harness that is broken. */
const TOO_MANY = 200;

/** Each act with its first write refused, then with its second, until it has no more. */
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
