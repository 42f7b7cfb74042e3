import { type Clock, untilWall } from '../../base/index.ts';
import { NOTIFIER_OUTCOMES, type QuietHours, quietUntilMs } from '../../domain/index.ts';
import type { Trigger, WakeDecision } from './decide-wake.ts';
import type { NotifierRecord } from './notifier-store.ts';

const FIRST_RETRY_MS = 1000;

/** When the notifier looks next, and why. */
export class NextLook {
  readonly #clock: Clock;
  #triggers = new Set<Trigger>(['start']);
  #dueAt: number | undefined;
  /** The quiet hours that hold mail back. */
  #quiet: QuietHours | undefined;
  #interval: number | null = null;
  #failures = 0;
  /** An interval ended while the agent was busy. */
  #owed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Consecutive failed looks. */
  get failures(): number {
    return this.#failures;
  }

  /** Milliseconds until the interval ends; null if the notifier is off. */
  get inMs(): number | null {
    return this.#dueAt === undefined ? null : Math.max(0, this.#dueAt - this.#clock.monotonic());
  }

  /** How long the loop may sleep. */
  get restMs(): number {
    const left = this.inMs ?? 0;
    const until = this.#quietEnd();
    return until === null ? left : Math.min(left, untilWall(this.#clock, until));
  }

  ask(trigger: Trigger): void {
    this.#triggers.add(trigger);
  }

  off(): void {
    this.#dueAt = undefined;
    this.#interval = null;
    this.#quiet = undefined;
  }

  every(seconds: number): void {
    if (this.#interval === seconds) return;
    this.#interval = seconds;
    this.#dueAt = this.#clock.monotonic() + seconds * 1000;
  }

  /** Returns the trigger that is due now. `contested`: another waiter wants the agent too. */
  due(contested: boolean): Trigger | undefined {
    if (this.#dueAt !== undefined && this.#clock.monotonic() >= this.#dueAt) return 'interval';
    if (this.#quiet && this.#quietEnd() === null) return 'interval';
    // Alone, mail waits for the next interval, so that the end of a turn does not cause the next prompt. If others wait
    // too, it would never find the agent idle at that moment, so the missed interval counts when its turn comes.
    if (this.#owed && this.#triggers.has('ready') && contested) return 'interval';
    return (['mail', 'ready', 'start'] as const).find((each) => this.#triggers.has(each));
  }

  /** Runs the look for the pending triggers. Triggers of a failed look stay pending. */
  async take(look: (asked: ReadonlySet<Trigger>) => Promise<void>): Promise<void> {
    const taken = this.#triggers;
    this.#triggers = new Set();
    this.#quiet = undefined;
    try {
      await look(taken);
    } catch (error) {
      this.#triggers = new Set([...taken, ...this.#triggers]);
      throw error;
    }
  }

  found(): void {
    this.#failures = 0;
  }

  failed({ interval_seconds }: NotifierRecord): void {
    this.#failures++;
    const backoff = FIRST_RETRY_MS * 2 ** Math.min(this.#failures - 1, 20);
    this.#dueAt = this.#clock.monotonic() + Math.min(backoff, (interval_seconds ?? 60) * 1000);
  }

  /** Whether a look leaves the ended interval open; mail then keeps its place among the waiters. */
  isInconclusive(trigger: Trigger, { outcome }: WakeDecision): boolean {
    const { open, wakes, waits } = NOTIFIER_OUTCOMES[outcome];
    return this.#owed && trigger !== 'interval' && open && !wakes && !waits;
  }

  /** An interval that finds the agent busy stays owed until the agent is free. */
  owe(trigger: Trigger, { outcome }: WakeDecision): void {
    this.#owed = NOTIFIER_OUTCOMES[outcome].waits && (this.#owed || trigger === 'interval');
  }

  after(trigger: Trigger, record: NotifierRecord, decision: WakeDecision): void {
    const clock = this.#clock;
    const full = (record.interval_seconds ?? 0) * 1000;
    const { wakes, waits } = NOTIFIER_OUTCOMES[decision.outcome];
    if (trigger === 'interval' || wakes) this.#dueAt = clock.monotonic() + full;
    const held = waits ? record.quiet_hours : null;
    this.#quiet = held && quietUntilMs(held, clock.now().getTime()) !== null ? held : undefined;
    if (decision.look_again_utc === null) return;
    const wait = Math.max(0, Date.parse(decision.look_again_utc) - clock.now().getTime());
    this.#dueAt = Math.min(this.#dueAt ?? Number.POSITIVE_INFINITY, clock.monotonic() + wait);
  }

  /** When the quiet hours that hold mail back end, by the current wall clock; null if there are none. */
  #quietEnd(): number | null {
    return this.#quiet ? quietUntilMs(this.#quiet, this.#clock.now().getTime()) : null;
  }
}
