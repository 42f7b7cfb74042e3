import * as path from 'node:path';
import {
  type Clock,
  ensurePrivateDirectory,
  readObjectIfAny,
  sha256,
  withFileLock,
  writeJsonAtomic,
} from '../../base/index.ts';

/** Agents of one account begin this far apart after a limit they share. */
export const SLOT_MS = 5000;

const MAX_WAIT_MS = 10_000;

/** The agents whose limits are shared. The account itself is not known, so it is the tool and its home. */
export interface Account {
  tool: string;
  home: string;
}

/**
 * Takes the first free time from `fromMs` on for an agent of this account, in a file that all agents of this host share. A
 * time that was taken by an agent that has ended stays taken until it has passed.
 */
export async function takeSlot(
  directory: string,
  { tool, home }: Account,
  { fromMs, clock }: { fromMs: number; clock: Clock },
): Promise<number> {
  ensurePrivateDirectory(directory);
  const file = path.join(directory, `${sha256(`${tool}\n${home}`).slice(0, 32)}.json`);
  return withFileLock(`${file}.lock`, { timeoutMs: MAX_WAIT_MS, mode: 0o600 }, async () => {
    const nowMs = clock.now().getTime();
    const taken = timesIn(file).filter((at) => at > nowMs - SLOT_MS);
    const slot = firstFree(taken, fromMs);
    writeJsonAtomic(file, {
      schema_version: 1,
      tool,
      home,
      taken_ms: [...taken, slot].sort((a, b) => a - b),
    });
    return slot;
  });
}

/** The first time from `fromMs` on that is far enough from each of `taken`. */
export function firstFree(taken: readonly number[], fromMs: number): number {
  let slot = fromMs;
  for (const at of taken.toSorted((a, b) => a - b)) {
    if (at - slot >= SLOT_MS) break;
    slot = Math.max(slot, at + SLOT_MS);
  }
  return slot;
}

function timesIn(file: string): number[] {
  const times = readObjectIfAny(file)?.['taken_ms'];
  return Array.isArray(times) ? times.filter((at): at is number => Number.isSafeInteger(at)) : [];
}
