import { invalid } from '../../base/index.ts';
import { isRanking, MOST_RANKING } from '../../domain/index.ts';
import { type Flag, type FlagsOf, flagKey, type InputOf } from '../command.ts';
import { notBlank, positiveSeconds, utcTime } from '../input/flag-values.ts';

export const REMINDER_ID = {
  name: 'reminder-id',
  value: 'ID',
  summary: 'id, as "reminders list" shows it',
  required: true,
  parse: notBlank,
} as const satisfies Flag;

function anyInteger(text: string): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isFinite(value))
    throw invalid('must be a whole number, positive or negative');
  if (!isRanking(value)) throw invalid(`must lie between -${MOST_RANKING} and ${MOST_RANKING}`);
  return value;
}

export const TITLE = {
  name: 'title',
  value: 'TEXT',
  summary: 'title for people; never sent to the agent',
  parse: notBlank,
} as const satisfies Flag;
export const MODE = {
  name: 'mode',
  value: 'MODE',
  choices: ['one_off', 'repeat'],
  summary: 'deliver it once, or repeatedly',
} as const satisfies Flag;

const CONTENT = [
  { name: 'prompt', value: 'TEXT', summary: 'the prompt to submit', parse: notBlank },
  {
    name: 'sequence',
    value: 'KEYS',
    summary: 'raw keys to type instead of a prompt, with <[key-name]> tokens',
    parse: notBlank,
  },
  {
    name: 'ensure-enter',
    negatable: true,
    summary: 'make the keys end with exactly one Enter (default); --no-ensure-enter for control keys alone',
  },
] as const satisfies readonly Flag[];

const RANK = [
  {
    name: 'ranking',
    value: 'N',
    summary: 'rank; the smallest number leads, negative numbers allowed',
    parse: anyInteger,
  },
  { name: 'before-all', summary: 'rank it before all others' },
  { name: 'after-all', summary: 'rank it after all others' },
  {
    name: 'paused',
    negatable: true,
    summary: 'keep its rank, blocking those behind it, without delivering it',
  },
] as const satisfies readonly Flag[];

const TIMING = [
  {
    name: 'start-after-seconds',
    value: 'N',
    summary: 'first due this long from now; fractions allowed',
    parse: positiveSeconds,
  },
  {
    name: 'deliver-at-utc',
    value: 'TIME',
    summary: 'first due at this time, such as 2026-01-31T09:00:00Z',
    parse: utcTime,
  },
  {
    name: 'interval-seconds',
    value: 'N',
    summary: 'repeat: time from one due time to the next',
    parse: positiveSeconds,
  },
  {
    name: 'cron',
    value: 'EXPRESSION',
    summary: 'repeat: five or six fields, instead of start and interval',
    parse: notBlank,
  },
  { name: 'time-zone', value: 'ZONE', summary: 'time zone of --cron; default UTC', parse: notBlank },
  {
    name: 'durable',
    negatable: true,
    summary: 'survive a restart of the gateway; needs --missed',
  },
  {
    name: 'missed',
    value: 'POLICY',
    choices: ['skip', 'once'],
    summary: 'durable: what to do with due times missed while no gateway ran',
  },
] as const satisfies readonly Flag[];

export const REMINDER_FLAGS = [...CONTENT, ...RANK, ...TIMING] as const satisfies readonly Flag[];

export const DEFINITION_FLAGS = [TITLE, MODE, ...REMINDER_FLAGS] as const satisfies readonly Flag[];

/** What a reminder is made of, as the flags give it. */
export type ReminderFlags = Partial<FlagsOf<typeof DEFINITION_FLAGS>>;

/** Those that were given, of the flags that make a reminder. */
export function reminderFlags({ flags }: InputOf<typeof DEFINITION_FLAGS>): ReminderFlags {
  const names = DEFINITION_FLAGS.map(({ name }) => flagKey(name));
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  );
}
