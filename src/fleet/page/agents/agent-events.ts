import * as fs from 'node:fs';

/** One line of events.jsonl, with the fields that the page reads. */
export interface EventLine {
  kind: string;
  at_utc: string;
  [field: string]: unknown;
}

const TAIL_BYTES = 512 * 1024;
const KEPT = 500;
const FILES = 1000;

interface Tail {
  inode: number;
  /** Where the first unread line begins. */
  offset: number;
  events: readonly EventLine[];
}

/**
 * The newest events of the gateways that pages show. Events read once are remembered; only what was added since is
 * read.
 */
export class AgentEvents {
  readonly #tails = new Map<string, Tail>();

  /** Oldest first; invalid lines are skipped. */
  of(file: string): readonly EventLine[] {
    try {
      const fd = fs.openSync(file, 'r');
      try {
        const tail = readOn(fd, this.#tails.get(file));
        if (this.#tails.size >= FILES && !this.#tails.has(file)) this.#tails.clear();
        this.#tails.set(file, tail);
        return tail.events;
      } finally {
        fs.closeSync(fd);
      }
    } catch {
      return [];
    }
  }
}

function readOn(fd: number, known: Tail | undefined): Tail {
  const { size, ino: inode } = fs.fstatSync(fd);
  const before = known?.inode === inode && known.offset <= size ? known : undefined;
  const from = Math.max(before?.offset ?? 0, size - TAIL_BYTES);
  const bytes = Buffer.alloc(size - from);
  const length = fs.readSync(fd, bytes, 0, bytes.length, from);
  const end = bytes.subarray(0, length).lastIndexOf(10) + 1;
  const lines = bytes.toString('utf8', 0, end).split('\n');
  // In the middle of the file the first line may be incomplete.
  if (from > 0 && from !== before?.offset) lines.shift();
  const events = [...(before?.events ?? []), ...lines.flatMap(eventIn)];
  // Rows are identified by their position, which changes when old ones are dropped, so that is done rarely.
  return { inode, offset: from + end, events: events.length > 2 * KEPT ? events.slice(-KEPT) : events };
}

/** The events that are not in the ledger; prompts and wakes are. */
const SHOWN = /^(control_input$|control_prompt_|reminder_(?!deferred$))/;

function eventIn(line: string): EventLine[] {
  try {
    const event = JSON.parse(line) as EventLine;
    const isEvent = typeof event.kind === 'string' && typeof event.at_utc === 'string';
    return isEvent && SHOWN.test(event.kind) ? [event] : [];
  } catch {
    return [];
  }
}
