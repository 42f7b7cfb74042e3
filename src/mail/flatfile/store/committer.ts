import { type Clock, type FileLock, sleep, systemClock } from '../../../base/index.ts';
import type { FlatMessage } from '../format/envelope.ts';
import { Bell } from './bell.ts';
import { type CommitParts, commitMessages } from './commit.ts';
import { DEFAULT_TIMEOUT_MS, lockTimeout, tryHoldMailbox } from './hold-lock.ts';
import { failure, type Outcome } from './outcome.ts';
import { recoverMailbox } from './recover.ts';
import { Slot } from './slot.ts';
import { fail, outcomeUnknown, settle, takeBatch, type Waiting } from './waiting.ts';

export interface SubmitOptions {
  timeoutMs?: number | undefined;
  clock?: Clock | undefined;
}

/** A holder that is always busy lets go for a moment after this long: others wait for the lock, not for us. */
const BURST_MS = 100;
const REST_MS = 3;
/** How long a holder with nothing of its own goes on committing what others left. */
const LINGER_MS = 50;
const SERVED_MS = 100;
/** A holder that takes longer than this is asked for: its lock is free if it died. */
const SUSPICIOUS_MS = 100;
const GATHER_MS = 8;
/** The bell wakes a writer that is answered; looking without a ring finds a holder that died, or one that knows no bell. */
const FIRST_POLL_MS = 15;
const LONGEST_POLL_MS = 50;
/** A holder that has taken a message and does not finish: after this the outcome is called unknown. */
const CLAIM_GRACE_MS = 15_000;

/**
 * Group commit of one mailbox in this process: whoever gets the lock writes everything that waits, here and in the
 * spool, in one new version of the file; whoever does not leaves its messages there and watches for the answer.
 */
export class Committer {
  #parts: CommitParts;
  #slot: Slot;
  /** Rung by whoever leaves a message while we hold the lock. */
  #bell: Bell;
  #waiting: Waiting[] = [];
  #work: Promise<void> | undefined;
  #answeredAt = Number.NEGATIVE_INFINITY;

  constructor(parts: CommitParts) {
    this.#parts = parts;
    this.#slot = new Slot(parts.paths);
    this.#bell = new Bell(parts.paths, 'holder');
  }

  submit(message: FlatMessage, options: SubmitOptions = {}): Promise<Outcome> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, clock = systemClock } = options;
    return new Promise((done) => {
      this.#waiting.push({ message, timeoutMs, deadline: clock.monotonic() + timeoutMs, done });
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
        // Somebody answered us a moment ago and most likely still serves: no use asking for the lock first.
        const served = clock.monotonic() - this.#answeredAt < SERVED_MS;
        const lock = served ? undefined : tryHoldMailbox(this.#parts.paths);
        if (lock) await this.#serve(lock, clock);
        else await this.#leaveAndWait(clock);
      } catch (error) {
        fail(this.#waiting.splice(0), error, this.#parts.paths.mailbox);
      }
    }
    this.#bell.takeDown();
    // In the same turn as the last look at what waits: a submit after this starts anew.
    this.#work = undefined;
  }

  /** Commits while there is something to commit, then lets go, and looks once more for what came in between. */
  async #serve(first: FileLock, clock: Clock): Promise<void> {
    const { spool, paths } = this.#parts;
    const start = clock.monotonic();
    let ownUntil = start;
    for (let lock: FileLock | undefined = first; lock; ) {
      try {
        await recoverMailbox(this.#parts);
        for (let last = { others: 0, tookMs: 0 }; clock.monotonic() - start <= BURST_MS; ) {
          await this.#gather(last, clock);
          const began = clock.monotonic();
          if (this.#waiting.length > 0) ownUntil = began;
          else if (began - ownUntil >= LINGER_MS || spool.countWaiting() === 0) break;
          const others = await this.#commitOnce();
          last = { others, tookMs: clock.monotonic() - began };
          await nextTurn();
        }
      } finally {
        lock.release();
      }
      const tired = clock.monotonic() - start > BURST_MS;
      if (tired) await sleep(clock, REST_MS);
      const others = !tired && this.#waiting.length === 0 && clock.monotonic() - ownUntil < LINGER_MS;
      lock = others && spool.countWaiting() > 0 ? tryHoldMailbox(paths) : undefined;
    }
    if (this.#waiting.length === 0) spool.handOver();
  }

  /**
   * Those whose messages the last batch held will be back in a moment: one commit for all of them is worth waiting as
   * long as the last one took.
   */
  async #gather({ others, tookMs }: { others: number; tookMs: number }, clock: Clock): Promise<void> {
    if (others === 0) return;
    const until = clock.monotonic() + Math.min(GATHER_MS, tookMs);
    const rings = this.#bell.hang() !== undefined;
    for (;;) {
      const missing = others - this.#parts.spool.countWaiting();
      const left = until - clock.monotonic();
      if (missing <= 0 || left <= 0) return;
      await this.#bell.heard(clock, rings ? left : Math.min(left, 1), missing);
    }
  }

  /** Answers how many other processes had messages in the batch. */
  async #commitOnce(): Promise<number> {
    const batch = takeBatch(this.#waiting);
    try {
      const messages = batch.map(({ message }) => message);
      const { outcomes, others } = await commitMessages(this.#parts, messages);
      settle(batch, outcomes);
      return others;
    } catch (error) {
      fail(batch, error, this.#parts.paths.mailbox);
      return 0;
    }
  }

  async #leaveAndWait(clock: Clock): Promise<void> {
    // Whoever holds the lock now hears the rings.
    this.#bell.takeDown();
    const batch = takeBatch(this.#waiting);
    try {
      const heard = this.#slot.leave(batch.map(({ message }) => message));
      // Nobody heard that there is a message: the lock may be free.
      await this.#untilAnswered(batch, clock, heard ? FIRST_POLL_MS : 0);
    } catch (error) {
      this.#slot.withdraw();
      this.#slot.abandon();
      fail(batch, error, this.#parts.paths.mailbox);
    }
  }

  async #untilAnswered(batch: Waiting[], clock: Clock, firstPause: number): Promise<void> {
    const { paths } = this.#parts;
    const deadline = Math.min(...batch.map((each) => each.deadline));
    const suspicious = Math.min(deadline, clock.monotonic() + SUSPICIOUS_MS);
    for (let pause = firstPause; ; pause = Math.min(LONGEST_POLL_MS, Math.max(FIRST_POLL_MS, pause * 1.5))) {
      if (pause > 0) await this.#slot.heard(clock, pause * (0.7 + 0.6 * Math.random()));
      const answer = this.#slot.answer();
      if (answer) {
        this.#answeredAt = clock.monotonic();
        return settle(batch, answer);
      }
      // While a holder has them there is no use asking for the lock, unless it has died with them.
      const taken = clock.monotonic() < suspicious && !this.#slot.isWaiting();
      const lock = taken ? undefined : tryHoldMailbox(paths);
      if (lock) return await this.#takeOver(lock, batch, clock);
      const late = clock.monotonic() - deadline;
      if (late < 0) continue;
      if (this.#slot.withdraw()) return this.#giveUp(batch, clock);
      if (late > CLAIM_GRACE_MS) throw outcomeUnknown(paths.mailbox);
    }
  }

  /** The lock is free: whatever its last holder did with our messages is settled first. */
  async #takeOver(lock: FileLock, batch: Waiting[], clock: Clock): Promise<void> {
    try {
      await recoverMailbox(this.#parts);
      const answer = this.#slot.answer();
      if (answer) settle(batch, answer);
      else if (this.#slot.withdraw()) this.#waiting.unshift(...batch);
      else throw outcomeUnknown(this.#parts.paths.mailbox);
    } catch (error) {
      lock.release();
      throw error;
    }
    await this.#serve(lock, clock);
  }

  #giveUp(batch: Waiting[], clock: Clock): void {
    const { paths } = this.#parts;
    const now = clock.monotonic();
    for (const each of batch) {
      if (each.deadline > now) this.#waiting.push(each);
      else each.done(failure(lockTimeout(paths, paths.lock, each.timeoutMs)));
    }
  }
}

/** Lets callers that are about to submit do so: they share the next batch. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
