import { MISSED_POLICIES } from '../words/reminders.ts';
import { type CodeOf, codesOf } from '../words/table.ts';

/** What a field may be. `yes`: true or false, and false if omitted. */
type FieldKind =
  | { type: 'yes' }
  | { type: 'seconds' }
  | { type: 'instant' }
  | { type: 'cron' }
  | { type: 'zone' }
  | { type: 'code'; codes: readonly string[] };

export interface ReminderField {
  kind: FieldKind;
  flag: { value?: string; summary: string };
  /** Its description in a body; null if its name is enough. */
  body: string | null;
  /** Whether a shown reminder has it. False for fields that only decide when to start, which is shown as the due time. */
  shown: boolean;
  /** Its words in a shown reminder. Null: none, or covered by other fields. */
  words: ((value: never) => string | null) | null;
}

/**
 * The settings of a reminder besides its content, title, mode and rank. Bodies, views, flags, page, and what an edit keeps
 * are made from this table. A new field also needs its effect (src/gateway/reminders/).
 */
export const REMINDER_FIELDS = {
  paused: {
    kind: { type: 'yes' },
    flag: { summary: 'keep its rank, blocking those behind it, without delivering it' },
    body: 'Keeps its rank and blocks those behind it, but is not delivered.',
    shown: true,
    words: null,
  },
  start_after_seconds: {
    kind: { type: 'seconds' },
    flag: { value: 'N', summary: 'first due this long from now; fractions allowed' },
    body: 'From the moment of create or update.',
    shown: false,
    words: null,
  },
  deliver_at_utc: {
    kind: { type: 'instant' },
    flag: { value: 'TIME', summary: 'first due at this time, such as 2026-01-31T09:00:00Z' },
    body: null,
    shown: false,
    words: null,
  },
  interval_seconds: {
    kind: { type: 'seconds' },
    flag: { value: 'N', summary: 'repeat: time from one due time to the next' },
    body: 'Required for `repeat` without `cron`, refused for `one_off`.',
    shown: true,
    words: null,
  },
  cron: {
    kind: { type: 'cron' },
    flag: { value: 'EXPRESSION', summary: 'repeat: five or six fields, instead of start and interval' },
    body: 'For `repeat`, instead of an interval and a start: five or six fields.',
    shown: true,
    words: null,
  },
  time_zone: {
    kind: { type: 'zone' },
    flag: { value: 'ZONE', summary: 'time zone of --cron; default UTC' },
    body: 'IANA name in which `cron` is read. Default UTC.',
    shown: true,
    words: null,
  },
  durable: {
    kind: { type: 'yes' },
    flag: { summary: 'survive a restart of the gateway; needs --missed' },
    body: 'Survives a restart of the gateway. Default: live only.',
    shown: true,
    words: (durable: boolean) => (durable ? 'kept over restarts' : null),
  },
  missed: {
    kind: { type: 'code', codes: codesOf(MISSED_POLICIES) },
    flag: { value: 'POLICY', summary: 'durable: what to do with due times missed while no gateway ran' },
    body: 'For durable ones, times that passed while no gateway ran: `skip` them, or deliver `once`.',
    shown: true,
    words: null,
  },
} as const satisfies Record<string, ReminderField>;

type Table = typeof REMINDER_FIELDS;
export type ReminderFieldName = CodeOf<Table>;

type ValueOf<Kind> = Kind extends { type: 'yes' }
  ? boolean
  : Kind extends { type: 'seconds' }
    ? number
    : Kind extends { type: 'code'; codes: readonly (infer Code)[] }
      ? Code
      : string;

export type ReminderFieldValue<Name extends ReminderFieldName> = ValueOf<Table[Name]['kind']>;

export const reminderFields = Object.entries(REMINDER_FIELDS) as [ReminderFieldName, ReminderField][];

/** The parts of a reminder besides the fields of the table. */
const CONTENT = ['mode', 'title', 'prompt', 'send_keys', 'ranking'] as const;

/** Returns the definition that would make a shown reminder again, due when it is due now. */
export function definitionOf<Shown extends { cron?: string | null | undefined; next_due_at_utc: string }>(
  shown: Shown,
): Pick<Shown, keyof Shown & (ReminderFieldName | (typeof CONTENT)[number])> & { deliver_at_utc?: string } {
  const names: readonly string[] = [...CONTENT, ...codesOf(REMINDER_FIELDS)];
  const same = Object.entries(shown).filter(([name, value]) => names.includes(name) && value != null);
  const start = shown.cron ? {} : { deliver_at_utc: shown.next_due_at_utc };
  return { ...Object.fromEntries(same), ...start } as never;
}

/** The words of a shown reminder besides its cadence: "kept over restarts". */
export function reminderWords(shown: Readonly<Partial<Record<ReminderFieldName, unknown>>>): string[] {
  return reminderFields.flatMap(([name, { words }]) => {
    const value = shown[name];
    const text = value == null ? null : words?.(value as never);
    return text == null ? [] : [text];
  });
}
