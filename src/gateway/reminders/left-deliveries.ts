import { type Clock, preview, utcStamp } from '../../base/index.ts';
import type { AttemptOwner, SettledAttempt } from '../../terminal/index.ts';
import type { ReminderDelivery } from '../../wire/index.ts';
import type { LiveReminder } from './live-reminder.ts';
import type { ReminderBook } from './reminder-book.ts';
import { describe, type ReminderEvents } from './reminder-events.ts';

/** Reasons reported for a delivery that was running when the gateway ended. */
const REASONS = {
  submitted: 'the gateway ended during the delivery; it had been submitted',
  not_submitted:
    'the gateway ended during the delivery; its text was taken back, and a live reminder is not kept',
  unknown: 'the gateway ended during the delivery; it is not delivered again',
} as const;

interface Dependencies {
  book: ReminderBook;
  events: ReminderEvents;
  clock: Clock;
  defer: (reminder: LiveReminder, reason: string) => void;
  /** Called for a delivery that did not succeed. */
  remember: (delivery: ReminderDelivery) => void;
  wake: () => void;
}

/** Deliveries that an earlier gateway began and did not end. */
export class LeftDeliveries {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Records how such a delivery ended; called once, before anything else is delivered. */
  settled({ owner, verdict, evidence }: SettledAttempt): void {
    if (owner.source !== 'reminder') return;
    const { book } = this.#deps;
    const reminder = book.set.inOrder().find(({ reminder_id }) => reminder_id === owner.id);
    if (verdict === 'not_submitted' && reminder) {
      reminder.executing = false;
      book.keep([reminder]);
      this.#deps.defer(reminder, `the gateway ended during the delivery: ${evidence.at(-1)?.facts['found']}`);
      this.#deps.wake();
      return;
    }
    const outcome = verdict === 'submitted' ? 'submitted' : verdict === 'unknown' ? 'unconfirmed' : 'failed';
    const seen = evidence.map(({ source, atUtc, facts }) => ({ source, at_utc: atUtc, ...facts }));
    this.#conclude(owner, reminder, { outcome, reasons: [REASONS[verdict]], evidence: seen });
  }

  /** Ends deliveries that left no trace, except the one whose attempt is still `open`. */
  endUnexplained(open: AttemptOwner | undefined): void {
    for (const reminder of this.#deps.book.set.inOrder()) {
      const { reminder_id: id, definition } = reminder;
      if (!reminder.executing || reminder.lastStartedMs !== null || open?.id === id) continue;
      const left = { outcome: 'unconfirmed' as const, reasons: [REASONS.unknown], evidence: [] };
      this.#conclude({ id, title: definition.title }, reminder, left);
    }
  }

  #conclude(
    { id, title = '' }: Pick<AttemptOwner, 'id' | 'title'>,
    reminder: LiveReminder | undefined,
    { outcome, reasons, evidence }: Pick<ReminderDelivery, 'outcome' | 'reasons' | 'evidence'>,
  ): void {
    const { book, events, clock } = this.#deps;
    const finished_at_utc = utcStamp(clock.now());
    const delivery = { reminder_id: id, title, outcome, finished_at_utc, reasons, evidence };
    if (outcome !== 'submitted') this.#deps.remember(delivery);
    const facts = reminder ? describe(reminder) : { reminder_id: id, title: preview(title, 120) };
    const kind = outcome === 'submitted' ? 'reminder_completed' : 'reminder_failed';
    events.write(kind, { ...facts, outcome, reasons });
    if (!reminder) return;
    Object.assign(reminder, { executing: false, lastDelivery: delivery });
    book.moveOn(reminder);
    this.#deps.wake();
  }
}
