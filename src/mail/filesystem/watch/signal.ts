import * as fs from 'node:fs';
import { errnoOf } from '../../../base/index.ts';
import type { Layout } from '../root/layout.ts';
import { isLink } from '../root/own-directories.ts';

/** Never follows a link and never waits for a reader. */
const NEW_OR_OURS =
  fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

export function signalFile(layout: Layout, address: string): string {
  return `${layout.signals}/${address}`;
}

/** Signals watchers in other processes that this mailbox changed. Never fails: a lost hint only makes them late. */
export function signalChange(layout: Layout, address: string, at: Date): void {
  try {
    fs.lutimesSync(signalFile(layout, address), at, at);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') ensureSignal(layout, address);
  }
}

export function ensureSignal(layout: Layout, address: string): void {
  try {
    // Never creates the root: one that was moved away must not come back as an empty directory.
    if (!fs.existsSync(layout.signals)) fs.mkdirSync(layout.signals, { mode: 0o700 });
    if (isLink(layout.signals)) return;
    fs.closeSync(fs.openSync(signalFile(layout, address), NEW_OR_OURS, 0o600));
  } catch {
    // Watchers receive the next change that can be signalled.
  }
}
