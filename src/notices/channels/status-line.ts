import * as path from 'node:path';
import { lockFile, readIfExists, writeFileAtomic } from '../../base/index.ts';
import type { Notice, Sender, Sending } from './channel.ts';

const MAX_NAMED = 3;
const LOCK_MS = 2000;

export const statusLineFile = (directory: string): string => path.join(directory, 'status-line');

/**
 * One line in a file, replaced as a whole: who needs the person now. tmux shows it with `tail -F`, which sleeps until the
 * file is replaced. `#` begins a command or a style in a status line, so it never gets there.
 */
export function statusLine(notices: readonly Notice[]): string {
  const shown = notices.slice(0, MAX_NAMED).map(({ title }) => title.replace(/[#\p{Cc}]/gu, ' '));
  const rest = notices.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(' · ');
}

async function write({ directory, onShow }: Sending): Promise<null> {
  const file = statusLineFile(directory);
  // Two processes may own needs; the later reading must be the later line.
  const lock = await lockFile(`${file}.lock`, { timeoutMs: LOCK_MS });
  try {
    const line = `${statusLine(onShow())}\n`;
    if (line !== readIfExists(file)) writeFileAtomic(file, line, { durable: false });
  } finally {
    lock.release();
  }
  return null;
}

export const STATUS_LINE: Sender<'status-line'> = {
  send: write,
  async takeBack(sending) {
    await write(sending);
  },
  async check(_, directory) {
    return `${statusLineFile(directory)}; "rouse status-line" prints the lines for .tmux.conf`;
  },
};
