import { type Clock, randomHex } from '../../base/index.ts';
import type { ReminderDefinition } from '../../domain/index.ts';
import {
  atOneInstant,
  correctedDue,
  dueAtMs,
  firstDue,
  followingDue,
  onMonotonic,
  remainingMs,
  restoredDue,
} from './due-time.ts';
import type { LiveReminder } from './live-reminder.ts';
import { describe, type ReminderEvents } from './reminder-events.ts';
import { ReminderSet } from './reminder-set.ts';
import type { ReminderStore, StoredReminder } from './reminder-store.ts';

interface Dependencies {
  store: ReminderStore;
  events: ReminderEvents;
  clock: Clock;
}

/**
 * The reminders and their copy on disk. Durable ones are stored whole; of the others only enough to report their loss.
 * All are stored whole when they are handed over to the next gateway.
 */
export class ReminderBook {
  readonly set = new ReminderSet();
  #lastCreatedMs = 0;
  #handedOver = false;

  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Each gets its own creation time in whole milliseconds, which shows the order of equal rankings. */
  add(definitions: readonly ReminderDefinition[]): LiveReminder[] {
    const made = definitions.map((definition) => {
      this.#lastCreatedMs = Math.max(this.#deps.clock.now().getTime(), Math.floor(this.#lastCreatedMs) + 1);
      const due = firstDue(definition, this.#deps.clock);
      const reminder_id = `greminder-${randomHex(6)}`;
      return live({ reminder_id, definition, createdMs: this.#lastCreatedMs, anchor: due, due });
    });
    this.keep(made);
    for (const reminder of made) this.set.add(reminder);
    return made;
  }

  redefine(reminder: LiveReminder, definition: ReminderDefinition): void {
    this.set.remove(reminder);
    const due = firstDue(definition, this.#deps.clock);
    Object.assign(reminder, { definition, ranking: definition.ranking, anchor: due, due, waiting: null });
    this.set.add(reminder);
    this.keep([reminder]);
  }

  /** A reminder that is being delivered stays in the set until the delivery has ended. */
  leave(reminder: LiveReminder): void {
    reminder.leaving = true;
    if (!reminder.executing) this.set.remove(reminder);
    this.#deps.store.remove(reminder.reminder_id);
  }

  keep(reminders: readonly LiveReminder[]): void {
    const whole = (each: LiveReminder): boolean => this.#handedOver || isDurable(each);
    this.#deps.store.save(reminders.filter(whole).map((each) => this.#toStored(each)));
    const others = reminders.filter((each) => !whole(each));
    this.#deps.store.saveLive(
      others.map((each) => ({ reminder_id: each.reminder_id, facts: describe(each) })),
    );
  }

  keepIfDurable(reminder: LiveReminder): void {
    if (isDurable(reminder)) this.#deps.store.save([this.#toStored(reminder)]);
  }

  /** After a delivery: gone, or due at its next time. */
  moveOn(reminder: LiveReminder): void {
    if (reminder.leaving || reminder.definition.mode === 'one_off') {
      this.set.remove(reminder);
      this.#deps.store.remove(reminder.reminder_id);
      return;
    }
    const { clock } = this.#deps;
    const next = followingDue(reminder.definition, reminder.anchor, clock);
    if (next.on === 'monotonic')
      reminder.anchor = { on: 'monotonic', at: onMonotonic(reminder.anchor, clock) };
    reminder.due = next;
    this.keepIfDurable(reminder);
  }

  followClock(reminder: LiveReminder): void {
    reminder.due = correctedDue(reminder.definition, reminder.due, this.#deps.clock);
  }

  /**
   * Restores durable reminders, by each one's policy for missed times, and live ones that the previous gateway handed
   * over. Those stay whole on disk until `takenOver`, so that a failed start loses none.
   */
  restore(): void {
    // After a kill: a gateway that stops in good order reports its losses itself.
    this.#reportLost();
    for (const stored of this.#deps.store.all()) {
      const reminder = this.#fromStored(stored);
      this.#lastCreatedMs = Math.max(this.#lastCreatedMs, stored.created_ms);
      const missed = remainingMs(reminder.due, this.#deps.clock) <= 0;
      this.set.add(reminder);
      if (!stored.executing && missed && stored.definition.missed === 'skip') {
        this.#deps.events.write('reminder_missed', describe(reminder));
        this.moveOn(reminder);
      }
    }
  }

  /** From now on handed-over reminders live and end with this gateway. */
  takenOver(): void {
    this.keep(this.set.inOrder().filter((each) => !isDurable(each)));
  }

  /**
   * Live reminders are lost now and reported as lost, unless they are handed over to the next gateway. The others are
   * stored with their times on the current wall clock.
   */
  close({ handOver }: { handOver: boolean }): void {
    this.#handedOver = handOver;
    const staying = this.set.inOrder().filter((each) => !each.leaving && (handOver || isDurable(each)));
    this.#deps.store.save(staying.map((each) => this.#toStored(each)));
    if (!handOver) this.#reportLost();
  }

  #reportLost(): void {
    this.#deps.store.removeLive((facts) => this.#deps.events.write('reminder_lost_on_restart', facts));
  }

  #toStored(reminder: LiveReminder): StoredReminder {
    const clock = atOneInstant(this.#deps.clock);
    return {
      reminder_id: reminder.reminder_id,
      definition: reminder.definition,
      created_ms: reminder.createdMs,
      anchor_wall_ms: dueAtMs(reminder.anchor, clock),
      due_wall_ms: dueAtMs(reminder.due, clock),
      executing: reminder.executing,
    };
  }

  /** A reminder whose delivery was running keeps that state until it is known how the delivery ended. */
  #fromStored(stored: StoredReminder): LiveReminder {
    const { reminder_id, definition, created_ms: createdMs, executing } = stored;
    const times = restoredDue(definition, stored, this.#deps.clock);
    return { ...live({ reminder_id, definition, createdMs, ...times }), executing };
  }
}

function isDurable({ definition }: LiveReminder): boolean {
  return definition.durable === true;
}

function live(
  known: Pick<LiveReminder, 'reminder_id' | 'definition' | 'createdMs' | 'anchor' | 'due'>,
): LiveReminder {
  return {
    ...known,
    ranking: known.definition.ranking,
    executing: false,
    leaving: false,
    lastStartedMs: null,
    lastDelivery: null,
    waiting: null,
  };
}
