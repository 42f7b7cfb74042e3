import { type Clock, Emitter } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { InboxRequestEvent } from '../../wire/index.ts';
import { type Identity, isTokenGood } from '../identity/index.ts';
import { readEvents, TICKETS_CHANNEL } from './ticket-events.ts';

/** How long a stream may be silent before it gets a sign of life and its token is checked again. */
const SIGN_OF_LIFE_MS = 25_000;
const PAGE = 200;

/**
 * Events as they happen, for any number of readers over one LISTEN, which begins with the first reader. Every reader
 * reads the table itself: notifications only say when.
 */
export class LiveTickets {
  #sql: Sql;
  #clock: Clock;
  #changed = new Emitter<string | undefined>();
  #listening: Promise<() => Promise<void>> | undefined;

  constructor(sql: Sql, clock: Clock) {
    this.#sql = sql;
    this.#clock = clock;
  }

  /** Resolves when everything committed from now on will be noticed. */
  async ready(): Promise<void> {
    this.#listening ??= this.#sql.listen(TICKETS_CHANNEL, (orgId) => this.#changed.emit(orgId));
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  /** Ends when aborted, or when its token is no longer valid. Yields `alive` if there was nothing to report. */
  async *follow(
    caller: Identity,
    { after, signal }: { after: number; signal: AbortSignal },
  ): AsyncGenerator<InboxRequestEvent | 'alive'> {
    const hint = new Hint();
    const stop = this.#changed.on((orgId) => {
      if (orgId === undefined || caller.orgId === null || orgId === caller.orgId) hint.give();
    });
    signal.addEventListener('abort', hint.give, { once: true });
    try {
      let seen = after;
      while (!signal.aborted && (await isTokenGood(this.#sql, caller.tokenId))) {
        hint.taken();
        const events = await readEvents(this.#sql, caller, { after: seen, limit: PAGE });
        yield* events;
        seen = events.at(-1)?.id ?? seen;
        if (events.length === PAGE) continue;
        if (!(await hint.within(this.#clock, SIGN_OF_LIFE_MS))) yield 'alive';
      }
    } finally {
      stop();
      signal.removeEventListener('abort', hint.give);
    }
  }

  async close(): Promise<void> {
    const listening = this.#listening;
    this.#listening = undefined;
    await (await listening?.catch(() => undefined))?.();
  }
}

/** Remembers that there is news until a reader takes it. */
class Hint {
  #isSet = false;
  #wake: (() => void) | undefined;

  give = (): void => {
    this.#isSet = true;
    this.#wake?.();
  };

  taken(): void {
    this.#isSet = false;
  }

  /** True if a hint came in time. */
  within(clock: Clock, ms: number): Promise<boolean> {
    if (this.#isSet) return Promise.resolve(true);
    return new Promise((resolve) => {
      const cancel = clock.after(ms, () => end(false));
      const end = (came: boolean): void => {
        cancel();
        this.#wake = undefined;
        resolve(came);
      };
      this.#wake = () => end(true);
    });
  }
}
