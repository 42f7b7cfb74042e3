import { type Clock, utcStamp } from '../../base/index.ts';
import { deliveryState, type Ranked, type ReminderDefinition } from '../../domain/index.ts';
import type { Reminder, ReminderDelivery } from '../../wire/index.ts';
import { type DueTime, dueAtMs, followingDue, remainingMs } from './due-time.ts';

/** One reminder while it lives. */
export interface LiveReminder extends Ranked {
  definition: ReminderDefinition;
  /** The first due time since create or update; the cadence counts from here. */
  anchor: DueTime;
  due: DueTime;
  executing: boolean;
  /** Deleted while executing: the delivery ends, and then it is gone. */
  leaving: boolean;
  lastStartedMs: number | null;
  lastDelivery: ReminderDelivery | null;
}

const PREVIEWED = 5;

/** A reminder as it is shown. `leader` is the effective one. */
export function toReminderView(
  reminder: LiveReminder,
  leader: LiveReminder | undefined,
  clock: Clock,
): Reminder {
  const { definition } = reminder;
  const effective = reminder === leader;
  return {
    schema_version: 1,
    reminder_id: reminder.reminder_id,
    mode: definition.mode,
    delivery_kind: definition.prompt != null ? 'prompt' : 'send_keys',
    title: definition.title,
    prompt: definition.prompt ?? null,
    send_keys: definition.send_keys ?? null,
    ranking: definition.ranking,
    paused: definition.paused,
    selection_state: effective ? 'effective' : 'blocked',
    delivery_state: deliveryState(
      { executing: reminder.executing, nextDueMs: remainingMs(reminder.due, clock) },
      0,
    ),
    created_at_utc: stampOf(reminder.createdMs),
    next_due_at_utc: stampOf(dueAtMs(reminder.due, clock)),
    interval_seconds: definition.interval_seconds ?? null,
    last_started_at_utc: reminder.lastStartedMs === null ? null : stampOf(reminder.lastStartedMs),
    blocked_by_reminder_id: effective ? null : (leader?.reminder_id ?? null),
    cron: definition.cron ?? null,
    time_zone: definition.cron ? (definition.time_zone ?? 'UTC') : null,
    durable: definition.durable ?? false,
    missed: definition.missed ?? null,
    last_delivery: reminder.lastDelivery,
  };
}

/** The next due times, if every delivery took no time and nothing delayed it. */
export function previewDue(reminder: LiveReminder, clock: Clock): string[] {
  const times = [dueAtMs(reminder.due, clock)];
  if (reminder.definition.mode === 'repeat') {
    while (times.length < PREVIEWED) {
      const next = followingPreview(reminder, times.at(-1)!, clock);
      if (next <= times.at(-1)!) break;
      times.push(next);
    }
  }
  return times.map(stampOf);
}

function followingPreview({ definition, anchor }: LiveReminder, lastMs: number, clock: Clock): number {
  const offset = lastMs - clock.now().getTime();
  const then: Clock = {
    now: () => new Date(lastMs),
    monotonic: () => clock.monotonic() + offset,
    after: clock.after,
  };
  return dueAtMs(followingDue(definition, anchor, then), then);
}

function stampOf(ms: number): string {
  return utcStamp(new Date(Math.floor(ms)));
}
