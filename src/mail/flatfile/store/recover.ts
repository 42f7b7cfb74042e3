import type { CommitParts } from './commit.ts';
import { finishMove } from './move-blocks.ts';
import { sweepTemps } from './temp-file.ts';

const SWEEP_EVERY_MS = 5 * 60_000;
const lastSweep = new Map<string, number>();

/** Puts right what holders that died left behind. First thing to do with the lock in hand. */
export async function recoverMailbox(parts: CommitParts): Promise<void> {
  const { paths } = parts;
  await finishMove(parts);
  const now = Date.now();
  if (now - (lastSweep.get(paths.lock) ?? 0) < SWEEP_EVERY_MS) return;
  lastSweep.set(paths.lock, now);
  sweepTemps(paths.mailbox, now);
}
