import { notFound } from '../../base/index.ts';
import { compareReminders } from '../../domain/index.ts';
import type { LiveReminder } from './live-reminder.ts';

/** The live reminders, in ranking order: the leader is the first. */
export class ReminderSet {
  #ordered: LiveReminder[] = [];
  #byId = new Map<string, LiveReminder>();

  get size(): number {
    return this.#ordered.length;
  }

  effective(): LiveReminder | undefined {
    return this.#ordered[0];
  }

  inOrder(): readonly LiveReminder[] {
    return this.#ordered;
  }

  get(id: string): LiveReminder {
    const found = this.#byId.get(id);
    if (!found) throw notFound(`no reminder ${id}`);
    return found;
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  add(reminder: LiveReminder): void {
    this.#ordered.splice(this.#place(reminder), 0, reminder);
    this.#byId.set(reminder.reminder_id, reminder);
  }

  remove(reminder: LiveReminder): void {
    this.#ordered.splice(this.#place(reminder), 1);
    this.#byId.delete(reminder.reminder_id);
  }

  /** The index of the first reminder that does not come before this one. */
  #place(reminder: LiveReminder): number {
    let low = 0;
    let high = this.#ordered.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareReminders(this.#ordered[middle]!, reminder) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
