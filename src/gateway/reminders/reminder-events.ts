import { type Log, preview } from '../../base/index.ts';
import type { EventLog } from '../files/index.ts';
import type { LiveReminder } from './live-reminder.ts';

/** What the running log calls it. Deferrals are many, and stand in events.jsonl only. */
const LINES: Record<string, string> = {
  reminder_registered: 'registered reminder',
  reminder_updated: 'updated reminder',
  reminder_deleted: 'deleted reminder',
  reminder_started: 'executing reminder',
  reminder_completed: 'completed reminder',
  reminder_failed: 'failed reminder',
  reminder_missed: 'missed reminder',
  reminder_lost_on_restart: 'lost reminder',
};

/** Writes what happens to reminders into events.jsonl and the running log. */
export function reminderEvents(events: EventLog, log: Log): Pick<EventLog, 'write'> {
  return {
    write(kind, { content_preview, ...facts }) {
      events.write(kind, { ...facts, content_preview });
      const line = LINES[kind];
      if (kind === 'reminder_failed' || kind === 'reminder_lost_on_restart') log.warn(line!, facts);
      else if (line) log.info(line, facts);
    },
  };
}

export function describe({
  reminder_id,
  definition,
}: Pick<LiveReminder, 'reminder_id' | 'definition'>): Record<string, unknown> {
  return {
    reminder_id,
    title: preview(definition.title, 120),
    mode: definition.mode,
    ranking: definition.ranking,
    content_preview: preview(definition.prompt ?? definition.send_keys?.sequence ?? '', 120),
  };
}
