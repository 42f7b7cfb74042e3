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
  summary: 'for people; it is never sent',
  parse: notBlank,
};
export const MODE: Flag = {
  name: 'mode',
  value: 'MODE',
  choices: ['one_off', 'repeat'],
  summary: 'once, or again and again',
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
    summary: 'end the keys in exactly one Enter (the default); --no-ensure-enter for pure control keys',
  },
];

const RANK: Flag[] = [
  { name: 'ranking', value: 'N', summary: 'the smallest number leads; any sign', parse: anyInteger },
  { name: 'before-all', summary: 'rank it before every other one' },
  { name: 'after-all', summary: 'rank it after every other one' },
  {
    name: 'paused',
    negatable: true,
    summary: 'keep its rank and block those behind it, but do not deliver it',
  },
];

const TIMING: Flag[] = [
  {
    name: 'start-after-seconds',
    value: 'N',
    summary: 'first due so long from now; fractions allowed',
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
    summary: 'repeat: from one due time to the next',
    parse: positiveSeconds,
  },
  {
    name: 'cron',
    value: 'EXPRESSION',
    summary: 'repeat: five or six fields, instead of start and interval',
    parse: notBlank,
  },
  { name: 'time-zone', value: 'ZONE', summary: 'in which --cron is read; default UTC', parse: notBlank },
  {
    name: 'durable',
    negatable: true,
    summary: 'survive a restart of the gateway; needs --missed',
  },
  {
    name: 'missed',
    value: 'POLICY',
    choices: ['skip', 'once'],
    summary: 'durable: due times that passed while no gateway ran',
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
