import { invalid } from '../../base/index.ts';
import { isRanking, MOST_RANKING } from '../../domain/index.ts';
import type { Flag, Input } from '../command.ts';
import { notBlank, positiveSeconds, utcTime } from '../input/flag-values.ts';
import type { ReminderFlags } from './reminder-definition.ts';

export const REMINDER_ID: Flag = {
  name: 'reminder-id',
  value: 'ID',
  summary: 'as "reminders list" shows it',
  required: true,
  parse: notBlank,
};

function anyInteger(text: string): number {
  const value = Number(text);
  if (!/^[+-]?\d+$/.test(text) || !Number.isFinite(value))
    throw invalid('must be a whole number of any sign');
  if (!isRanking(value)) throw invalid(`must lie between -${MOST_RANKING} and ${MOST_RANKING}`);
  return value;
}

export const TITLE: Flag = {
  name: 'title',
  value: 'TEXT',
  summary: 'title for people; never sent to the agent',
  parse: notBlank,
};
export const MODE: Flag = {
  name: 'mode',
  value: 'MODE',
  choices: ['one_off', 'repeat'],
  summary: 'deliver it once, or repeatedly',
};

const CONTENT: Flag[] = [
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
];

const RANK: Flag[] = [
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
];

const TIMING: Flag[] = [
  {
    name: 'start-after-seconds',
    value: 'N',
    summary: 'first due this long from now; fractions allowed',
    parse: positiveSeconds,
  },
  {
    name: 'deliver-at-utc',
    value: 'TIME',
    summary: 'due first at this time, such as 2026-01-31T09:00:00Z',
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
];

export const REMINDER_FLAGS: Flag[] = [...CONTENT, ...RANK, ...TIMING];

const NAMES = [
  'title',
  'mode',
  'prompt',
  'sequence',
  'ensureEnter',
  'ranking',
  'beforeAll',
  'afterAll',
  'paused',
  'startAfterSeconds',
  'deliverAtUtc',
  'intervalSeconds',
  'cron',
  'timeZone',
  'durable',
  'missed',
] as const satisfies (keyof ReminderFlags)[];

export function reminderFlags({ flags }: Input): ReminderFlags {
  return Object.fromEntries(
    NAMES.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  ) as ReminderFlags;
}
