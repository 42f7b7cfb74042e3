import { type Log, preview } from '../../base/index.ts';
import type { FieldsOf } from '../../wire/index.ts';
import type { EventLog } from '../files/index.ts';
import type { LiveReminder } from './live-reminder.ts';

/** The lines of the running log. Deferrals are many, so they are only in events.jsonl. */
const LINES = {
  reminder_registered: 'registered reminder',
  reminder_updated: 'updated reminder',
  reminder_deleted: 'deleted reminder',
  reminder_started: 'executing reminder',
  reminder_completed: 'completed reminder',
  reminder_failed: 'failed reminder',
  reminder_missed: 'missed reminder',
  reminder_lost_on_restart: 'lost reminder',
} as const;

type Kind = keyof typeof LINES | 'reminder_deferred';
export type ReminderFacts = FieldsOf<Kind>;

/** Every kind of event takes the same facts. */
export interface ReminderEvents {
  write(kind: Kind, facts: ReminderFacts): void;
}

/** Writes what happens to reminders into events.jsonl and the running log. */
export function reminderEvents(events: EventLog, log: Log): ReminderEvents {
  return {
    write(kind, { content_preview, ...facts }) {
      events.write(kind, { ...facts, content_preview });
      if (kind === 'reminder_deferred') return;
      const warn = kind === 'reminder_failed' || kind === 'reminder_lost_on_restart';
      (warn ? log.warn : log.info)(LINES[kind], facts);
    },
  };
}

export function describe({
  reminder_id,
  definition,
}: Pick<LiveReminder, 'reminder_id' | 'definition'>): ReminderFacts {
  return {
    reminder_id,
    title: preview(definition.title, 120),
    mode: definition.mode,
    ranking: definition.ranking,
    content_preview: preview(definition.prompt ?? definition.send_keys?.sequence ?? '', 120),
  };
}
