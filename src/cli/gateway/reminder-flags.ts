import { invalid } from '../../base/index.ts';
import {
  codesOf,
  isRanking,
  MAX_RANKING,
  REMINDER_MODES,
  type ReminderFieldName,
  type ReminderFieldValue,
  reminderFields,
} from '../../domain/index.ts';
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
  if (!isRanking(value)) throw invalid(`must be between -${MAX_RANKING} and ${MAX_RANKING}`);
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
  choices: codesOf(REMINDER_MODES),
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
  { name: 'before-all', summary: 'put it before all others' },
  { name: 'after-all', summary: 'put it after all others' },
] as const satisfies readonly Flag[];

const PARSERS = {
  seconds: positiveSeconds,
  instant: utcTime,
  cron: notBlank,
  zone: notBlank,
};

const FIELDS = reminderFields.map(([name, { kind, flag }]): Flag => {
  const named = { name: name.replaceAll('_', '-'), ...flag };
  if (kind.type === 'yes') return { ...named, negatable: true };
  return kind.type === 'code' ? { ...named, choices: kind.codes } : { ...named, parse: PARSERS[kind.type] };
});

export const REMINDER_FLAGS = [...CONTENT, ...RANK, ...FIELDS] as const satisfies readonly Flag[];

export const DEFINITION_FLAGS = [TITLE, MODE, ...REMINDER_FLAGS] as const satisfies readonly Flag[];

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** The flags that describe a reminder. */
export type ReminderFlags = Partial<
  FlagsOf<readonly [typeof TITLE, typeof MODE, ...typeof CONTENT, ...typeof RANK]>
> & {
  [Name in ReminderFieldName as Camel<Name>]?: ReminderFieldValue<Name>;
};

/** The fields of a definition that have a flag of their own, where set. */
export function fieldsOf(flags: ReminderFlags): { [Name in ReminderFieldName]?: ReminderFieldValue<Name> } {
  const given: Readonly<Record<string, unknown>> = flags;
  const found = reminderFields.map(([name]) => [name, given[flagKey(name.replaceAll('_', '-'))]]);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

/** The reminder flags that were set. */
export function reminderFlags({ flags: all }: InputOf<typeof DEFINITION_FLAGS>): ReminderFlags {
  const flags: Readonly<Record<string, unknown>> = all;
  const names = DEFINITION_FLAGS.map(({ name }) => flagKey(name));
  return Object.fromEntries(
    names.filter((name) => flags[name] !== undefined).map((name) => [name, flags[name]]),
  );
}
