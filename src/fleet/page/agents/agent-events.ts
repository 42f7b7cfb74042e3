import * as fs from 'node:fs';

/** One line of events.jsonl, as far as the page reads it. */
export interface EventLine {
  kind: string;
  at_utc: string;
  [field: string]: unknown;
}

const TAIL_BYTES = 512 * 1024;

/** The newest events of a gateway, oldest first; lines that are none are passed over. */
export function readEventTail(file: string): EventLine[] {
  let text: string;
  try {
    const fd = fs.openSync(file, 'r');
    try {
      const { size } = fs.fstatSync(fd);
      const length = Math.min(size, TAIL_BYTES);
      const bytes = Buffer.alloc(length);
      fs.readSync(fd, bytes, 0, length, size - length);
      text = bytes.toString('utf8');
      if (size > length) text = text.slice(text.indexOf('\n') + 1);
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const event = JSON.parse(line) as EventLine;
      return typeof event.kind === 'string' && typeof event.at_utc === 'string' ? [event] : [];
    } catch {
      return [];
    }
  });
}
