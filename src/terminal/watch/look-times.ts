import type { Clock } from '../../base/index.ts';

/** The minimum time between looks while output flows; shorter while a caller waits for the next change. */
const CALM_MS = 25;
const KEEN_MS = 2;
/** An output event may come before tmux has read the output, so a look that came sooner is repeated. */
const SETTLED_MS = 100;
const KEEN_SETTLED_MS = 10;

/** Decides when to look again: not too often, but always after the last sign of a change. */
export class LookTimes {
  readonly #clock: Clock;
  readonly #look: () => Promise<unknown>;
  #keen = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #outputAt = Number.NEGATIVE_INFINITY;
  #due = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | undefined;

  /** `look` never rejects. */
  constructor(clock: Clock, look: () => Promise<unknown>) {
    this.#clock = clock;
    this.#look = look;
  }

  get outputAtMs(): number {
    return this.#outputAt;
  }

  get lookedAtMs(): number {
    return this.#lookedAt;
  }

  looked(atMs: number): void {
    this.#lookedAt = atMs;
  }

  wrote(): void {
    this.#outputAt = this.#clock.monotonic();
    this.soon();
  }

  /** While held, output is looked at almost immediately. Release it soon. */
  watchClosely(): () => void {
    this.#keen++;
    let held = true;
    return () => {
      if (held) this.#keen--;
      held = false;
    };
  }

  soon(pause = this.#keen > 0 ? KEEN_MS : CALM_MS): void {
    const now = this.#clock.monotonic();
    const due = Math.max(pause > KEEN_MS ? now + pause : now, this.#lookedAt + pause);
    if (due >= this.#due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = this.#clock.after(due - now, () => void this.#now());
  }

  stop(): void {
    this.#cancel?.();
    this.#due = Number.POSITIVE_INFINITY;
  }

  async #now(): Promise<void> {
    this.#due = Number.POSITIVE_INFINITY;
    const sinceOutput = this.#clock.monotonic() - this.#outputAt;
    await this.#look();
    if (this.#keen > 0 && sinceOutput < KEEN_SETTLED_MS) this.soon(KEEN_SETTLED_MS);
    else if (sinceOutput < SETTLED_MS) this.soon(SETTLED_MS);
  }
}
