import { type Clock, type FileLock, lockPause, sleep, systemClock } from '../../../base/index.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { type CommitParts, commitMessages, type Outcome } from './commit.ts';
import { explainWrite } from './explain-write.ts';
import { DEFAULT_TIMEOUT_MS, lockTimeout, tryHoldMailbox } from './hold-lock.ts';
import { recoverMailbox } from './recover.ts';

export interface SubmitOptions {
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
}

/** A message on its way, and who waits for what becomes of it. */
interface Waiting {
  message: FlatMessage;
  deadline: number;
  timeoutMs: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

/** A holder that always has more to write lets go after this long, and stays away a moment, for others to take the lock. */
const BURST_MS = 100;
const REST_MS = 3;

const MOST_PER_BATCH = 512;
const MOST_BYTES_PER_BATCH = 16 * 1024 * 1024;

/**
 * Group commit of one mailbox in this process: whatever waits when the lock is ours, or comes while a version of the
 * file is being written, goes into one new version together.
 */
export class Committer {
  #parts: CommitParts;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;

  constructor(parts: CommitParts) {
    this.#parts = parts;
  }

  submit(message: FlatMessage, options: SubmitOptions = {}): Promise<Outcome> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
    return new Promise((resolve, reject) => {
      const deadline = clock.monotonic() + timeoutMs;
      this.#waiting.push({ message, timeoutMs, deadline, resolve, reject });
      this.#work ??= this.#run(clock);
    });
  }

  /** Resolves when this process neither holds the lock nor waits for it. */
  async idle(): Promise<void> {
    while (this.#work !== undefined) await this.#work;
  }

  async #run(clock: Clock): Promise<void> {
    await nextTurn();
    while (this.#waiting.length > 0) {
      try {
        const lock = await this.#lock(clock);
        if (lock) await this.#commitAll(lock, clock);
      } catch (error) {
        this.#fail(this.#waiting.splice(0), error);
      }
    }
    // In the same turn as the last look at what waits: a submit after this starts anew.
    this.#work = undefined;
  }

  /** Undefined when nobody waits any more. */
  async #lock(clock: Clock): Promise<FileLock | undefined> {
    for (let tries = 0; this.#waiting.length > 0; tries++) {
      if (tries > 0) await sleep(clock, lockPause(tries));
      const lock = tryHoldMailbox(this.#parts.paths);
      if (lock) return lock;
      this.#giveUp(clock.monotonic());
    }
    return undefined;
  }

  #giveUp(now: number): void {
    const { paths } = this.#parts;
    const late = this.#waiting.filter(({ deadline }) => deadline <= now);
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline > now);
    for (const { reject, timeoutMs } of late) reject(lockTimeout(paths, paths.lock, timeoutMs));
  }

  async #commitAll(lock: FileLock, clock: Clock): Promise<void> {
    const until = clock.monotonic() + BURST_MS;
    try {
      await recoverMailbox(this.#parts);
      while (this.#waiting.length > 0 && clock.monotonic() < until) {
        await this.#commit(takeBatch(this.#waiting));
        await nextTurn();
      }
    } finally {
      lock.release();
    }
    if (clock.monotonic() >= until) await sleep(clock, REST_MS);
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const messages = batch.map(({ message }) => message);
      const outcomes = await commitMessages(this.#parts, messages);
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]!);
    } catch (error) {
      this.#fail(batch, error);
    }
  }

  #fail(batch: readonly Waiting[], error: unknown): void {
    const why = explainWrite(error, this.#parts.paths.mailbox);
    for (const { reject } of batch) reject(why);
  }
}

/** The first of those that wait, as many as one commit should hold. */
function takeBatch(waiting: Waiting[]): Waiting[] {
  let count = 0;
  for (let bytes = 0; count < Math.min(waiting.length, MOST_PER_BATCH); count++) {
    bytes += waiting[count]!.message.body.length;
    if (count > 0 && bytes > MOST_BYTES_PER_BATCH) break;
  }
  return waiting.splice(0, count);
}

/** Lets callers that are about to submit do so: they share the next batch. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
