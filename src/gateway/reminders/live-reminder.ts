import { type Clock, utcStamp } from '../../base/index.ts';
import {
  deliveryState,
  END_OF_TIME_MS,
  type Ranked,
  type ReminderDefinition,
  type ReminderFieldName,
  reminderFields,
} from '../../domain/index.ts';
import type { Reminder, ReminderDelivery } from '../../wire/index.ts';
import { type DueTime, dueAtMs, followingDue, remainingMs } from './due-time.ts';

/** One reminder in memory. */
export interface LiveReminder extends Ranked {
  definition: ReminderDefinition;
  /** The first due time since create or update; the cadence counts from here. */
  anchor: DueTime;
  due: DueTime;
  executing: boolean;
  /** Deleted while executing: removed when the delivery has ended. */
  leaving: boolean;
  lastStartedMs: number | null;
  lastDelivery: ReminderDelivery | null;
  /** Why it is not delivered although it is due and the leader, and since when. */
  waiting: { reason: string; sinceUtc: string } | null;
}

const PREVIEW_COUNT = 5;

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
    ...fieldsShown(definition),
    selection_state: effective ? 'effective' : 'blocked',
    delivery_state: deliveryState(
      { executing: reminder.executing, nextDueMs: remainingMs(reminder.due, clock) },
      0,
    ),
    created_at_utc: stampOf(reminder.createdMs),
    next_due_at_utc: stampOf(dueAtMs(reminder.due, clock)),
    last_started_at_utc: reminder.lastStartedMs === null ? null : stampOf(reminder.lastStartedMs),
    blocked_by_reminder_id: effective ? null : (leader?.reminder_id ?? null),
    last_delivery: reminder.lastDelivery,
    ...waitOf(reminder, leader, clock),
  };
}

/** The fields as defined; a cron expression without a time zone is in UTC. */
function fieldsShown(definition: ReminderDefinition): Pick<Reminder, ShownField> {
  const values: Partial<Record<ReminderFieldName, unknown>> = definition;
  const shown = reminderFields.flatMap(([name, { kind, shown }]) =>
    shown ? [[name, values[name] ?? (kind.type === 'yes' ? false : null)]] : [],
  );
  const fields = Object.fromEntries(shown) as Pick<Reminder, ShownField>;
  return { ...fields, time_zone: definition.cron ? (definition.time_zone ?? 'UTC') : null };
}

type ShownField = ReminderFieldName & keyof Reminder;

/** Why a due reminder is not delivered; nulls if it is not due or is being delivered. */
function waitOf(
  reminder: LiveReminder,
  leader: LiveReminder | undefined,
  clock: Clock,
): Pick<Reminder, 'waiting_reason' | 'waiting_since_utc'> {
  if (reminder.executing || remainingMs(reminder.due, clock) > 0)
    return { waiting_reason: null, waiting_since_utc: null };
  const dueUtc = stampOf(dueAtMs(reminder.due, clock));
  if (leader && reminder !== leader) {
    const paused = leader.definition.paused ? ', which is paused' : '';
    return { waiting_reason: `behind ${leader.reminder_id}${paused}`, waiting_since_utc: dueUtc };
  }
  if (reminder.definition.paused) return { waiting_reason: 'paused', waiting_since_utc: dueUtc };
  const { waiting } = reminder;
  return { waiting_reason: waiting?.reason ?? null, waiting_since_utc: waiting?.sinceUtc ?? null };
}

/** The next due times if deliveries took no time and nothing delayed them; an overdue one counts as delivered now. */
export function previewDue({ definition, anchor, due }: LiveReminder, clock: Clock): string[] {
  const times = [dueAtMs(due, clock)];
  let last = due;
  while (definition.mode === 'repeat' && times.length < PREVIEW_COUNT && times.at(-1)! < END_OF_TIME_MS) {
    last = followingDue(definition, anchor, laterClock(clock, Math.max(0, remainingMs(last, clock))));
    times.push(dueAtMs(last, clock));
  }
  return times.map(stampOf);
}

/** The clock as it will be after `ms`. */
function laterClock(clock: Clock, ms: number): Clock {
  return {
    now: () => new Date(clock.now().getTime() + ms),
    monotonic: () => clock.monotonic() + ms,
    after: clock.after,
  };
}

function stampOf(ms: number): string {
  return utcStamp(new Date(Math.floor(ms)));
}
