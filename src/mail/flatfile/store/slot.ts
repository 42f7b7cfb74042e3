import * as fs from 'node:fs';
import { type Clock, errnoOf, randomHex } from '../../../base/index.ts';
import { LONGEST_BODY } from '../format/body.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { Bell, Ringer } from './bell.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { isOutcome, type Outcome } from './outcome.ts';
import { makeSideDirectory, openToUsers, sideMode } from './side-directory.ts';

export const IDLE = '.idle';
export const WAITING = '.msg';
export const DONE = '.done';
export const ANSWERED = '.answer';

/** A slot nobody used for this long is removed; the next message makes a new one. */
const RETIRE_MS = 2000;
const LONGEST_FILE = 4 * LONGEST_BODY;

/** What is to be tidied when this process ends. */
const open = new Set<() => void>();
process.on('exit', () => {
  for (const takeDown of open) takeDown();
});

/**
 * A writer's place in the spool: one file, written anew and renamed for each bundle of messages, because making and
 * deleting a file per message costs a journalling file system more than all the rest.
 */
export class Slot {
  #paths: MailboxPaths;
  #bell: Bell;
  #ringer: Ringer;
  #name = '';
  #fd: number | undefined;
  /** Under which ending the file rests while it is ours. */
  #state = IDLE;
  #length = 0;
  #retire: NodeJS.Timeout | undefined;

  constructor(paths: MailboxPaths) {
    this.#paths = paths;
    this.#bell = new Bell(paths);
    this.#ringer = new Ringer(paths.spool);
  }

  /**
   * Leaves messages for whoever holds the lock; false when nobody heard of it. One bundle at a time: the one before has
   * been answered or taken back.
   */
  leave(messages: readonly FlatMessage[]): boolean {
    this.#open();
    const left = messages.map(({ fields, body }) => ({ fields: [...fields], body }));
    const bytes = Buffer.from(`${JSON.stringify({ bell: this.#bell.hang(), messages: left })}\n`);
    if (this.#state === ANSWERED || this.#length > bytes.length) fs.ftruncateSync(this.#fd!, 0);
    this.#length = bytes.length;
    for (let at = 0; at < bytes.length; ) at += fs.writeSync(this.#fd!, bytes, at, bytes.length - at, at);
    try {
      fs.renameSync(this.#at(this.#state), this.#at(WAITING));
    } catch (error) {
      // Somebody tidied it away.
      if (errnoOf(error) !== 'ENOENT') throw error;
      this.abandon();
      return this.leave(messages);
    }
    return this.#ringer.ringHolder();
  }

  /** Waits until the answer may be there, at most this long. */
  heard(clock: Clock, ms: number): Promise<void> {
    this.#retire?.refresh();
    return this.#bell.heard(clock, ms);
  }

  /** The outcomes, once there are any; a single one stands for all. */
  answer(): Outcome[] | undefined {
    if (fs.existsSync(this.#at(DONE))) {
      this.#state = DONE;
      return [{ result: 'prepended' }];
    }
    if (!fs.existsSync(this.#at(ANSWERED))) return undefined;
    this.#state = ANSWERED;
    return lastOutcomes(readSlot(this.#at(ANSWERED)).text ?? '{}');
  }

  /** True while no holder has taken the messages. */
  isWaiting(): boolean {
    return fs.existsSync(this.#at(WAITING));
  }

  /** Takes the messages back. False when the holder has them. */
  withdraw(): boolean {
    try {
      fs.renameSync(this.#at(WAITING), this.#at(IDLE));
      this.#state = IDLE;
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Nobody knows what becomes of it: the next message gets a new place. */
  abandon(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }

  #open(): void {
    if (this.#fd !== undefined) return;
    const { spool } = this.#paths;
    try {
      if (!fs.existsSync(spool)) makeSideDirectory(this.#paths, spool);
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    this.#name = `${process.pid}-${randomHex(6)}`;
    this.#state = IDLE;
    this.#length = 0;
    this.#fd = fs.openSync(this.#at(IDLE), 'wx+', sideMode(this.#paths));
    openToUsers(this.#paths, this.#fd);
    open.add(this.#takeDown);
    this.#retire = setTimeout(this.#takeDown, RETIRE_MS).unref();
  }

  #takeDown = (): void => {
    open.delete(this.#takeDown);
    clearTimeout(this.#retire);
    this.#bell.takeDown();
    this.#ringer.close();
    if (this.#fd === undefined) return;
    this.abandon();
    // Only while it is ours: whatever waits or is being committed keeps its file.
    fs.rmSync(this.#at(this.#state), { force: true });
  };

  #at(state: string): string {
    return `${this.#paths.spool}/${this.#name}${state}`;
  }
}

/** What stands in a slot. Without a text it is too large for whoever holds the lock, or no plain file at all. */
export function readSlot(file: string): { text?: string; alien?: true } {
  let fd: number;
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
  } catch (error) {
    if (errnoOf(error) === 'ELOOP' || errnoOf(error) === 'ENXIO') return { alien: true };
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return { alien: true };
    return stat.size > LONGEST_FILE ? {} : { text: readText(fd, stat.size) };
  } finally {
    fs.closeSync(fd);
  }
}

function readText(fd: number, size: number): string {
  const bytes = Buffer.allocUnsafe(size);
  let end = 0;
  for (let got = 1; got > 0 && end < size; end += got) got = fs.readSync(fd, bytes, end, size - end, end);
  return bytes.toString('utf8', 0, end);
}

function lastOutcomes(text: string): Outcome[] {
  const last = text.trimEnd().split('\n').at(-1) ?? '';
  const { outcomes } = JSON.parse(last) as { outcomes?: unknown };
  return Array.isArray(outcomes) ? outcomes.filter(isOutcome) : [];
}
