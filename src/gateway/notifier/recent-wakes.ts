import { type Clock, PastMoment, utcStamp } from '../../base/index.ts';
import type { NotifierStore } from './notifier-store.ts';

const HOUR_MS = 3_600_000;

/** The wakes of the last hour and the last one, with their true age even if the clock is set. */
export class RecentWakes {
  #clock: Clock;
  #last: PastMoment | undefined;
  /** Newest first. */
  #lastHour: PastMoment[];

  constructor(clock: Clock, store: NotifierStore) {
    this.#clock = clock;
    const now = clock.now().getTime();
    const moment = (stamp: string): PastMoment => new PastMoment(clock, Date.parse(stamp));
    const last = store.read().last_notification_at_utc;
    this.#last = last === null ? undefined : moment(last);
    // Wakes in the future were stamped before the clock was set back. Their real time is unknown, and holding back new
    // mail for them would be worse than a few extra wakes.
    this.#lastHour = store
      .wakesBetween(utcStamp(new Date(now - HOUR_MS)), utcStamp(new Date(now)))
      .map(moment);
  }

  note(stampUtc: string): void {
    this.#last = new PastMoment(this.#clock, Date.parse(stampUtc));
    this.#lastHour = [this.#last, ...this.#young()];
  }

  get lastUtc(): string | null {
    return this.#last ? utcStamp(new Date(this.#last.ms)) : null;
  }

  get inLastHour(): number {
    return this.#young().length;
  }

  /** When enough wakes are an hour old to allow another. A wake counts until the whole hour is over. */
  freeAtUtc(budget: number): string | null {
    const wake = this.#young()[budget - 1];
    return wake ? utcStamp(new Date(wake.ms + HOUR_MS + 1000)) : null;
  }

  #young(): PastMoment[] {
    return this.#lastHour.filter((wake) => wake.ageMs <= HOUR_MS);
  }
}
