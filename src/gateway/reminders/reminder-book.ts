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
 * The reminders and what of them is on disk: durable ones as a whole, the others so that their loss can be told. All of
 * them as a whole once they are handed over to the next gateway.
 */
export class ReminderBook {
  readonly set = new ReminderSet();
  #lastCreatedMs = 0;
  #handedOver = false;

  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  /** Each is created at a time of its own, as shown, so that the order of equal rankings can be read from it. */
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

  /** One that is being delivered stays among the others until that has ended. */
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
   * Brings durable reminders back, by the policy each of them names for times that passed meanwhile; and live ones that
   * the gateway before this one handed over. Those stay whole on disk until `takenOver`: a start that fails loses none.
   */
  restore(): void {
    // Of a process that was killed: one that ended in good order has told it itself.
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

  /** From now on they live and end with this gateway. */
  takenOver(): void {
    this.keep(this.set.inOrder().filter((each) => !isDurable(each)));
  }

  /**
   * What was live only is lost now, and said to be, unless it is handed over to the next gateway. The others are written
   * as the wall clock stands now.
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

  /** One whose delivery was under way is so until it is known what became of it. */
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
