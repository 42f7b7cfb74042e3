import { notFound, preview } from '../../base/index.ts';
import { fromNow, reasonInWords } from '../../domain/index.ts';
import type { LastTurn, Reminder, ReminderDelivery } from '../../wire/index.ts';
import type { Output } from '../command.ts';
import { reminderText } from '../gateway/reminder-print.ts';
import { dayAndTime } from '../print/local-time.ts';
import { show } from '../print/table.ts';
import type { KeptReminder, WhySource } from './source.ts';

/** How many are shown one by one. */
const SHOWN = 10;

/** The state of each reminder, and deliveries that did not end well; empty when there are none. */
export function reminderLines({ reminders, offline }: WhySource, nowMs: number): string[] {
  const { live, kept, troubles } = reminders;
  const lines = [
    ...live.slice(0, SHOWN).map((each) => reminderSentence(each, nowMs)),
    ...kept.slice(0, SHOWN).map((each) => keptSentence(each)),
  ];
  const more = live.length + kept.length - lines.length;
  if (more > 0) lines.push(`and ${more} more; "rouse agents gateway reminders list" shows all`);
  lines.push(...troubles.slice(0, SHOWN).map(troubleSentence));
  if (lines.length === 0) return [];
  const heading = offline === undefined ? 'Reminders' : 'Durable reminders';
  return ['', heading, ...lines.map((line) => `  ${line}`)];
}

/** Why one reminder was or was not delivered. */
export function whyReminder(id: string, source: WhySource, nowMs: number): Output {
  const { live, kept, troubles, lastTurn } = source.reminders;
  const reminder = live.find((each) => each.reminder_id === id);
  const stored = kept.find((each) => each.reminder_id === id);
  const ended = troubles.filter((each) => each.reminder_id === id);
  if (!reminder && !stored && ended.length === 0) throw unknown(id, source);
  const leader = live.find((each) => each.reminder_id === reminder?.blocked_by_reminder_id);
  return {
    data: {
      schema_version: 1,
      agent_name: source.agent,
      reminder: reminder ?? stored ?? null,
      recent_deliveries: ended,
      last_turn: lastTurn ?? null,
    },
    plain: [
      ...(reminder ? [reminderText(reminder, nowMs), '', reminderSentence(reminder, nowMs)] : []),
      ...(stored ? [keptSentence(stored)] : []),
      ...(leader ? [`Before it: ${reminderSentence(leader, nowMs)}`] : []),
      ...(lastTurn && reminder?.delivery_state === 'overdue' ? [lastTurnSentence(lastTurn, live)] : []),
      ...ended.map(troubleSentence),
    ].join('\n'),
  };
}

function unknown(id: string, { agent, offline }: WhySource): Error {
  return notFound(`agent ${agent} has no live reminder ${id}`, {
    hint:
      offline === undefined
        ? 'a reminder that was delivered or deleted is gone; the log of the gateway says what happened to it'
        : 'no gateway is running: reminders that are not durable ended with it, as its log says',
  });
}

function reminderSentence(reminder: Reminder, nowMs: number): string {
  const { delivery_state: state, paused, next_due_at_utc: due, last_delivery: last } = reminder;
  const when = `${fromNow(due, nowMs)} (${dayAndTime(due)})`;
  const ended = last && last.outcome !== 'submitted' ? `; its last delivery ${endedAs(last)}` : '';
  const name = nameOf(reminder.reminder_id, reminder.title);
  if (state === 'executing') return `${name} is being delivered now${ended}`;
  if (state === 'overdue') return `${name} was due ${when}, not delivered: ${waitWords(reminder)}${ended}`;
  return `${name} is due ${when}${paused ? ', but paused' : ''}${ended}`;
}

function waitWords({ paused, waiting_reason: reason, waiting_since_utc: since }: Reminder): string {
  if (reason == null) return 'it is about to be';
  if (paused) return 'it is paused; "reminders set --no-paused" resumes it';
  return `${show(reasonInWords(reason))}${since ? `, since ${dayAndTime(since)}` : ''}`;
}

function keptSentence({ reminder_id, title, next_due_at_utc: due }: KeptReminder): string {
  return `${nameOf(reminder_id, title)} is kept, due ${dayAndTime(due)}; it is delivered only while a gateway runs`;
}

function troubleSentence(delivery: ReminderDelivery): string {
  const { reminder_id, title, finished_at_utc } = delivery;
  return `${nameOf(reminder_id, title)}: a delivery ${endedAs(delivery)}, at ${dayAndTime(finished_at_utc)}`;
}

function endedAs({ outcome, reasons }: ReminderDelivery): string {
  return `ended as ${outcome}${reasons.length > 0 ? `: ${show(reasons.join('; '))}` : ''}`;
}

function lastTurnSentence({ source, id, began_at_utc }: LastTurn, live: readonly Reminder[]): string {
  const reminder = live.find((each) => each.reminder_id === id);
  const other = source === 'direct_prompt' ? 'a direct prompt' : `${source.replace('_', ' ')} ${id}`;
  const who = reminder ? `reminder ${nameOf(id, reminder.title)}` : other;
  return `The agent was last given to ${who}, at ${dayAndTime(began_at_utc)}.`;
}

function nameOf(id: string, title: string): string {
  return `${id} (${show(preview(title, 40))})`;
}
