import { preview } from '../../base/index.ts';
import {
  DELIVERY_STATES,
  fromNow,
  type ReminderFieldName,
  reasonInWords,
  reminderFields,
} from '../../domain/index.ts';
import type { Reminder, ReminderSet } from '../../wire/index.ts';
import { dayAndTime } from '../print/local-time.ts';
import { keyValues, show, table } from '../print/table.ts';
import { timesInText } from '../print/times-in-text.ts';
import { evidence } from './request-print.ts';

/** All reminders in ranking order: which one is next, which wait behind it, and when each is due. */
export function reminderTable(set: ReminderSet, nowMs: number): string {
  const { reminders } = set;
  const leader = reminders.find((each) => each.selection_state === 'effective');
  if (!leader) return ['No live reminders.', troubles(set)].filter(Boolean).join('\n\n');
  const rows = table(reminders, [
    { title: '', value: (r) => (r === leader ? '→' : ' ') },
    { title: 'reminder_id', value: (r) => r.reminder_id },
    { title: 'ranking', value: (r) => r.ranking, right: true },
    { title: 'selection_state', value: (r) => selection(r) },
    { title: 'delivery_state', value: (r) => r.delivery_state },
    { title: 'paused', value: (r) => r.paused },
    { title: 'mode', value: (r) => (r.durable ? `${r.mode}, durable` : r.mode) },
    { title: 'kind', value: (r) => r.delivery_kind },
    { title: 'due', value: (r) => fromNow(r.next_due_at_utc, nowMs) },
    { title: 'next_due_at_utc', value: (r) => dayAndTime(r.next_due_at_utc) },
    { title: 'title', value: (r) => r.title, max: 40 },
  ]);
  return [`Effective: ${leader.reminder_id}`, rows, leaderText(reminders, leader, nowMs), troubles(set)]
    .filter(Boolean)
    .join('\n\n');
}

function selection({ selection_state, blocked_by_reminder_id }: Reminder): string {
  return blocked_by_reminder_id ? `blocked by ${blocked_by_reminder_id}` : selection_state;
}

/** One sentence about the leader, which blocks all others. */
function leaderText(reminders: Reminder[], leader: Reminder, nowMs: number): string {
  const behind = reminders.length - 1;
  const who = behind === 1 ? '1 reminder waits' : `${behind} reminders wait`;
  const name = `${leader.reminder_id} (${show(preview(leader.title, 40))})`;
  const why = leader.paused
    ? 'which is paused; "reminders set --no-paused" resumes it'
    : `which ${DELIVERY_STATES[leader.delivery_state].words}${leader.delivery_state === 'overdue' ? `: ${waitText(leader, nowMs)}` : ''}`;
  return behind === 0 ? `${name} is next, ${why}.` : `${who} behind ${name}, ${why}.`;
}

/** Why it has not been delivered yet, and since when. */
function waitText({ waiting_reason: reason, waiting_since_utc: since }: Reminder, nowMs: number): string {
  const words = reason == null ? 'it is about to be delivered' : timesInText(reasonInWords(reason));
  return since == null ? words : `${words}, since ${dayAndTime(since)} (${fromNow(since, nowMs)})`;
}

function troubles({ recent_deliveries = [] }: ReminderSet): string {
  if (recent_deliveries.length === 0) return '';
  const rows = table(recent_deliveries, [
    { title: 'ended', value: (d) => dayAndTime(d.finished_at_utc) },
    { title: 'reminder_id', value: (d) => d.reminder_id },
    { title: 'title', value: (d) => d.title, max: 30 },
    { title: 'outcome', value: (d) => d.outcome },
    { title: 'reasons', value: (d) => d.reasons.join('; '), max: 80 },
  ]);
  return `Deliveries that did not end as submitted:\n${rows}`;
}

export function reminderText(reminder: Reminder, nowMs: number): string {
  const { send_keys: keys, last_delivery: last } = reminder;
  return keyValues({
    reminder_id: reminder.reminder_id,
    title: reminder.title,
    mode: reminder.mode,
    ...(keys
      ? { send_keys: `${keys.sequence}${keys.ensure_enter ? '  (ends in one Enter)' : ''}` }
      : { prompt: preview(reminder.prompt ?? '', 100) }),
    ranking: reminder.ranking,
    paused: reminder.paused,
    selection_state: selection(reminder),
    delivery_state: reminder.delivery_state,
    ...(reminder.waiting_reason != null && { waits: waitText(reminder, nowMs) }),
    next_due: `${fromNow(reminder.next_due_at_utc, nowMs)} (${dayAndTime(reminder.next_due_at_utc)})`,
    ...(reminder.cron
      ? { cron: `${reminder.cron}  (${reminder.time_zone})` }
      : { interval_seconds: reminder.interval_seconds }),
    ...(reminder.next_due_preview_utc && {
      after_that: reminder.next_due_preview_utc.slice(1).map((at) => dayAndTime(at)),
    }),
    durable: reminder.durable ? `yes; missed times: ${reminder.missed}` : 'no: lost when the gateway stops',
    ...otherFields(reminder),
    created: dayAndTime(reminder.created_at_utc),
    last_started: dayAndTime(reminder.last_started_at_utc),
    ...(last && {
      last_delivery: [last.outcome, ...last.reasons, ...last.evidence.map(evidence)].join('; '),
    }),
  });
}

/** Fields that the text shows in their own way. */
const OWN_LINES: readonly ReminderFieldName[] = [
  'paused',
  'interval_seconds',
  'cron',
  'time_zone',
  'durable',
  'missed',
];

function otherFields(
  reminder: Readonly<Partial<Record<ReminderFieldName, unknown>>>,
): Record<string, unknown> {
  const others = reminderFields.filter(([name, { shown }]) => shown && !OWN_LINES.includes(name));
  return Object.fromEntries(others.map(([name]) => [name, reminder[name]]));
}
