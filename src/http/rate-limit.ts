import type { Clock } from '../base/index.ts';

export interface RateLimit {
  /** Requests that may come at once. */
  burst: number;
  /** And then this many each second. */
  perSecond: number;
}

interface Bucket {
  left: number;
  at: number;
}

const MAX_BUCKETS = 10_000;

/** A token bucket for each key. Bounded: the keys used longest ago are forgotten. */
export class RateLimiter {
  #limit: RateLimit;
  #clock: Clock;
  #buckets = new Map<string, Bucket>();

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Takes one permit and returns 0, or returns the seconds until there is one. */
  take(key: string): number {
    const bucket = this.#refilled(key);
    if (bucket.left < 1) return (1 - bucket.left) / this.#limit.perSecond;
    bucket.left--;
    return 0;
  }

  /** Seconds until there is a permit, without taking one. */
  waitOf(key: string): number {
    const { left } = this.#refilled(key);
    return left < 1 ? (1 - left) / this.#limit.perSecond : 0;
  }

  #refilled(key: string): Bucket {
    const now = this.#clock.monotonic();
    const { burst, perSecond } = this.#limit;
    const before = this.#buckets.get(key) ?? { left: burst, at: now };
    const bucket = { left: Math.min(burst, before.left + ((now - before.at) / 1000) * perSecond), at: now };
    // Put at the end, so that the first key is the one unused for longest.
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
