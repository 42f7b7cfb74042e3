import * as fs from 'node:fs';
import type { FileTroubles } from '../../base/index.ts';

/** How many lines wait while the log cannot be written. Beyond that, the oldest are dropped. */
const MAX_WAITING = 1000;

/**
 * Writes a server's log lines. A log file is written directly, because Node closes its stream for good at the first error,
 * such as a full disk. Here the lines wait and are written later.
 */
export function serverLog(write: (text: string) => void, troubles: FileTroubles): (line: string) => void {
  if (!isFile(2)) return write;
  const waiting: Buffer[] = [];
  const writer = troubles.writer('the log (standard error)', () => {
    for (let bytes = waiting[0]; bytes !== undefined; bytes = waiting[0]) {
      const written = fs.writeSync(2, bytes);
      if (written === bytes.length) waiting.shift();
      else waiting[0] = bytes.subarray(written);
    }
  });
  return (line) => {
    waiting.push(Buffer.from(line));
    if (waiting.length > MAX_WAITING) waiting.shift();
    writer.write();
  };
}

function isFile(fd: number): boolean {
  try {
    return fs.fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
