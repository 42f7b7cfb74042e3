import * as fs from 'node:fs';
import { finishMove } from './move-blocks.ts';
import type { MailboxParts } from './prepend.ts';
import { sweepTemps } from './temp-file.ts';

const SWEEP_EVERY_MS = 5 * 60_000;
const lastSweep = new Map<string, number>();

/** Repairs what dead holders left. Call it first, as soon as the lock is held. */
export async function recoverMailbox(parts: MailboxParts): Promise<void> {
  const { paths } = parts;
  await finishMove(parts);
  const now = Date.now();
  if (now - (lastSweep.get(paths.lock) ?? 0) < SWEEP_EVERY_MS) return;
  lastSweep.set(paths.lock, now);
  sweepTemps(paths.mailbox, now);
  removeIdJournal(paths.lock);
}

/** Up to 0.1.0 a list of ids was kept beside the lock. No one reads it any more. */
function removeIdJournal(lock: string): void {
  try {
    fs.unlinkSync(lock.replace(/\.lock$/, '.ids'));
  } catch {
    // It does not exist, or we may not remove it.
  }
}
