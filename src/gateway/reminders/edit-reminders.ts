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

interface Dependencies {
  backend: BackendKind;
  book: ReminderBook;
  events: ReminderEvents;
  clock: Clock;
  /** Deliveries that did not succeed, newest first. */
  troubles: readonly ReminderDelivery[];
  wake: () => void;
}

/** What callers do with reminders: create, replace, delete, list. */
export class EditReminders {
  readonly #deps: Dependencies;

  constructor(deps: Dependencies) {
    this.#deps = deps;
  }

  create(definitions: readonly ReminderDefinition[]): ReminderSetView {
    const { book, events } = this.#deps;
    this.#refuseKeys(definitions);
    this.#refuseTooMany(definitions.length);
    const made = book.add(definitions);
    for (const reminder of made) events.write('reminder_registered', describe(reminder));
    this.#deps.wake();
    return {
      schema_version: 1,
      effective_reminder_id: this.#leaderId(),
      reminders: made.map((each) => this.#view(each)),
    };
  }

  replace(id: string, definition: ReminderDefinition): Reminder {
    const { book, events } = this.#deps;
    const reminder = book.set.get(id);
    if (reminder.executing)
      throw refusal(
        'reminder_executing',
        `reminder ${id} is being delivered; try again when the delivery has ended`,
      );
    this.#refuseKeys([definition]);
    book.redefine(reminder, definition);
    events.write('reminder_updated', describe(reminder));
    this.#deps.wake();
    return this.#shown(reminder);
  }

  remove(id: string): ReminderDeleted {
    const { book, events } = this.#deps;
    const reminder = book.set.get(id);
    const { executing } = reminder;
    book.leave(reminder);
    events.write('reminder_deleted', describe(reminder));
    this.#deps.wake();
    const detail = executing
      ? 'Reminder deleted; the running delivery is completed, and there is none after it.'
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
    const { book, troubles } = this.#deps;
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
    const reminder = this.#deps.book.set.get(id);
    this.#deps.book.followClock(reminder);
    return this.#shown(reminder);
  }

  #refuseKeys(definitions: readonly ReminderDefinition[]): void {
    const { backend } = this.#deps;
    if (capabilitiesOf(backend).sendKeysReminders) return;
    if (definitions.some((definition) => definition.send_keys != null))
      throw refusal('unsupported_target', `send_keys: a ${backend} agent cannot keep tmux key semantics`);
  }

  #refuseTooMany(more: number): void {
    const { size } = this.#deps.book.set;
    const max = limit('liveReminders');
    if (size + more <= max) return;
    throw refusal(
      'too_many_reminders',
      `the agent has ${size} live reminders, and ${more} more are too many: max ${max} at a time`,
      {
        hint: limitHint('liveReminders'),
      },
    );
  }

  #leaderId(): string | null {
    return this.#deps.book.set.effective()?.reminder_id ?? null;
  }

  #view(reminder: LiveReminder): Reminder {
    return toReminderView(reminder, this.#deps.book.set.effective(), this.#deps.clock);
  }

  #shown(reminder: LiveReminder): Reminder {
    return { ...this.#view(reminder), next_due_preview_utc: previewDue(reminder, this.#deps.clock) };
  }
}
