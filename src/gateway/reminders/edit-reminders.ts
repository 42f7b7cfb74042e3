import type { Clock } from '../../base/index.ts';
import {
  type BackendKind,
  capabilitiesOf,
  limit,
  limitHint,
  type ReminderDefinition,
} from '../../domain/index.ts';
import {
  type Reminder,
  type ReminderDeleted,
  type ReminderDelivery,
  type ReminderSet as ReminderSetView,
  refusal,
} from '../../wire/index.ts';
import { type LiveReminder, previewDue, toReminderView } from './live-reminder.ts';
import type { ReminderBook } from './reminder-book.ts';
import { describe, type ReminderEvents } from './reminder-events.ts';

interface Editing {
  backend: BackendKind;
  book: ReminderBook;
  events: ReminderEvents;
  clock: Clock;
  /** Deliveries that did not end well, newest first. */
  troubles: readonly ReminderDelivery[];
  wake: () => void;
}

/** What callers do with reminders: make, change, delete, look. */
export class EditReminders {
  readonly #on: Editing;

  constructor(on: Editing) {
    this.#on = on;
  }

  create(definitions: readonly ReminderDefinition[]): ReminderSetView {
    const { book, events } = this.#on;
    this.#refuseKeys(definitions);
    this.#refuseTooMany(definitions.length);
    const made = book.add(definitions);
    for (const reminder of made) events.write('reminder_registered', describe(reminder));
    this.#on.wake();
    return {
      schema_version: 1,
      effective_reminder_id: this.#leaderId(),
      reminders: made.map((each) => this.#view(each)),
    };
  }

  replace(id: string, definition: ReminderDefinition): Reminder {
    const { book, events } = this.#on;
    const reminder = book.set.get(id);
    if (reminder.executing)
      throw refusal('reminder_executing', `reminder ${id} is being delivered; try again when it has ended`);
    this.#refuseKeys([definition]);
    book.redefine(reminder, definition);
    events.write('reminder_updated', describe(reminder));
    this.#on.wake();
    return this.#shown(reminder);
  }

  remove(id: string): ReminderDeleted {
    const { book, events } = this.#on;
    const reminder = book.set.get(id);
    const { executing } = reminder;
    book.leave(reminder);
    events.write('reminder_deleted', describe(reminder));
    this.#on.wake();
    const detail = executing
      ? 'Reminder deleted; the delivery under way is completed, and there is none after it.'
      : 'Reminder deleted.';
    return {
      schema_version: 1,
      status: 'ok',
      action: 'delete_reminder',
      reminder_id: id,
      deleted: true,
      detail,
    };
  }

  list(): ReminderSetView {
    const { book, troubles } = this.#on;
    const reminders = book.set.inOrder();
    for (const reminder of reminders) book.followClock(reminder);
    return {
      schema_version: 1,
      effective_reminder_id: this.#leaderId(),
      reminders: reminders.map((each) => this.#view(each)),
      recent_deliveries: [...troubles],
    };
  }

  get(id: string): Reminder {
    const reminder = this.#on.book.set.get(id);
    this.#on.book.followClock(reminder);
    return this.#shown(reminder);
  }

  #refuseKeys(definitions: readonly ReminderDefinition[]): void {
    const { backend } = this.#on;
    if (capabilitiesOf(backend).sendKeysReminders) return;
    if (definitions.some((definition) => definition.send_keys != null))
      throw refusal('unsupported_target', `send_keys: a ${backend} agent cannot keep tmux key semantics`);
  }

  #refuseTooMany(more: number): void {
    const { size } = this.#on.book.set;
    const most = limit('liveReminders');
    if (size + more <= most) return;
    throw refusal(
      'too_many_reminders',
      `the agent has ${size} live reminders, and ${more} more are too many: at most ${most} at a time`,
      {
        hint: limitHint('liveReminders'),
      },
    );
  }

  #leaderId(): string | null {
    return this.#on.book.set.effective()?.reminder_id ?? null;
  }

  #view(reminder: LiveReminder): Reminder {
    return toReminderView(reminder, this.#on.book.set.effective(), this.#on.clock);
  }

  #shown(reminder: LiveReminder): Reminder {
    return { ...this.#view(reminder), next_due_preview_utc: previewDue(reminder, this.#on.clock) };
  }
}
