import * as fs from 'node:fs';
import { writeFileAtomic } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import type { Registration } from '../accounts/registration-rows.ts';

/** Flags and box of one message in one mailbox, as journalled. */
export interface StateLine {
  kind: 'state';
  registration_id: string;
  message_id: string;
  box: string;
  is_read: number;
  is_answered: number;
  is_starred: number;
  is_deleted: number;
}

export type RegistrationLine = { kind: 'registration' } & Registration;
export type PurgedLine = { kind: 'purged'; registration_id: string };
export type JournalLine = StateLine | RegistrationLine | PurgedLine;

const { O_WRONLY, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** Never follows a link and never waits for a reader. */
const APPEND = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK;
const MIN_COMPACTED_BYTES = 4 * 1024 * 1024;

/**
 * A copy, outside the index, of what message files do not hold: flags, boxes and registrations. Only the repair of a
 * lost index reads it. Lines are appended inside the index's write transaction, so writers never interleave. A line
 * whose transaction then failed records a change that was only requested, which is close enough for a rescue.
 */
export class StateJournal {
  readonly file: string;
  #nextCompaction = MIN_COMPACTED_BYTES;
  /** Why the last append failed; the index is unaffected. */
  trouble: string | undefined;

  constructor(file: string) {
    this.file = file;
  }

  append(lines: readonly JournalLine[]): void {
    if (lines.length === 0) return;
    try {
      const fd = fs.openSync(this.file, APPEND, 0o600);
      try {
        fs.writeFileSync(fd, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      } finally {
        fs.closeSync(fd);
      }
      this.trouble = undefined;
    } catch (error) {
      this.trouble = (error as Error).message;
    }
  }

  /** Bounds growth: a journal that has doubled since it was last compacted is rewritten from the index. */
  get wantsCompaction(): boolean {
    const size = fs.statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    return size > this.#nextCompaction;
  }

  /** Call inside a write transaction of the index. */
  compact(db: Sqlite): void {
    writeFileAtomic(this.file, [...currentLines(db)].map((line) => `${JSON.stringify(line)}\n`).join(''));
    const size = fs.statSync(this.file).size;
    this.#nextCompaction = Math.max(MIN_COMPACTED_BYTES, 2 * size);
  }
}

function* currentLines(db: Sqlite): Generator<JournalLine> {
  for (const row of db.iterate<Registration & { number?: number }>('SELECT * FROM mailbox_registrations')) {
    const { number: _number, ...registration } = row;
    yield { kind: 'registration', ...registration };
  }
  // Defaults of a delivery need not be kept.
  yield* db.iterate<StateLine>(
    `SELECT 'state' AS kind, r.registration_id, m.message_id, s.box, s.is_read, s.is_answered, s.is_starred, s.is_deleted
     FROM mail_state s JOIN messages m ON m.seq = s.seq JOIN mailbox_registrations r ON r.number = s.registration
     WHERE NOT (s.is_answered = 0 AND s.is_starred = 0 AND s.is_deleted = 0
       AND ((s.box = 'inbox' AND s.is_read = 0) OR (s.box = 'sent' AND s.is_read = 1)))`,
  );
}

/** Returns the last line for each registration and message; counts lines that cannot be read. */
export function readStateJournal(file: string): {
  registrations: Map<string, Registration>;
  states: Map<string, StateLine>;
  badLines: number;
} {
  const registrations = new Map<string, Registration>();
  const states = new Map<string, StateLine>();
  let badLines = 0;
  for (const text of linesOf(file)) {
    const line = parseLine(text);
    if (!line) badLines++;
    else if (line.kind === 'state') states.set(stateKey(line.registration_id, line.message_id), line);
    else if (line.kind === 'purged') registrations.delete(line.registration_id);
    else {
      const { kind: _kind, ...registration } = line;
      registrations.set(registration.registration_id, registration);
    }
  }
  return { registrations, states, badLines };
}

export function stateKey(registrationId: string, messageId: string): string {
  return `${registrationId} ${messageId}`;
}

function* linesOf(file: string): Generator<string> {
  let fd: number;
  try {
    fd = fs.openSync(file, 'r');
  } catch {
    return;
  }
  try {
    const buffer = Buffer.alloc(1024 * 1024);
    let rest = '';
    const decoder = new TextDecoder();
    for (let size: number; (size = fs.readSync(fd, buffer)) > 0; ) {
      const lines = (rest + decoder.decode(buffer.subarray(0, size), { stream: true })).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
    if (rest !== '') yield rest;
  } finally {
    fs.closeSync(fd);
  }
}

function parseLine(text: string): JournalLine | undefined {
  try {
    const line = JSON.parse(text) as JournalLine;
    const complete =
      typeof line.registration_id === 'string' &&
      (line.kind === 'purged' ||
        (line.kind === 'state' && typeof line.message_id === 'string' && typeof line.box === 'string') ||
        (line.kind === 'registration' &&
          typeof line.address === 'string' &&
          typeof line.status === 'string'));
    return complete ? line : undefined;
  } catch {
    return undefined;
  }
}
