import * as z from 'zod';
import {
  isTimeZone,
  type REMINDER_FIELDS,
  type ReminderField,
  type ReminderFieldName,
  type ReminderFieldValue,
  reminderFields,
} from '../../domain/index.ts';
import { MAX_CRON_LENGTH } from '../../domain/reminder/cron.ts';
import { about, instant, seconds, trimmed } from '../fields.ts';
import { ours } from '../source/ours.ts';

const timeZone = trimmed.refine(
  (value) => isTimeZone(value),
  'must be an IANA time zone such as Europe/Zurich',
);

function inputOf({ kind, body }: ReminderField): z.ZodType {
  const schema = inputAs(kind);
  return body === null ? schema : about(body, schema);
}

function inputAs(kind: ReminderField['kind']): z.ZodType {
  switch (kind.type) {
    case 'yes':
      return z.boolean().default(false);
    case 'seconds':
      return seconds.nullish();
    case 'instant':
      return instant.nullish();
    case 'cron':
      return trimmed.max(MAX_CRON_LENGTH).nullish();
    case 'zone':
      return timeZone.nullish();
    case 'code':
      return z.enum(kind.codes).nullish();
  }
}

function shownAs({ kind }: ReminderField): z.ZodType {
  switch (kind.type) {
    case 'yes':
      return z.boolean();
    case 'seconds':
      return z.number().nullable();
    case 'instant':
    case 'cron':
    case 'zone':
      return z.string().nullable();
    case 'code':
      return z.enum(kind.codes).nullable();
  }
}

type Kind<Name extends ReminderFieldName> = (typeof REMINDER_FIELDS)[Name]['kind']['type'];
type Value<Name extends ReminderFieldName> = ReminderFieldValue<Name>;
type Plain<T> = z.ZodType<T, T>;

type Inputs = {
  [Name in ReminderFieldName]: Kind<Name> extends 'yes'
    ? z.ZodDefault<Plain<Value<Name>>>
    : z.ZodOptional<Plain<Value<Name> | null>>;
};
type Shown = {
  [Name in ReminderFieldName as (typeof REMINDER_FIELDS)[Name]['shown'] extends true
    ? Name
    : never]: Name extends First
    ? Plain<Kind<Name> extends 'yes' ? boolean : Value<Name> | null>
    : z.ZodOptional<Plain<Kind<Name> extends 'yes' ? boolean : Value<Name> | null>>;
};

/** Fields of the source, which every reminder has; the others are ours. */
const FIRST = ['paused', 'interval_seconds'] as const;
type First = (typeof FIRST)[number];

const isFirst = (name: string): boolean => (FIRST as readonly string[]).includes(name);

/** The fields in a body. */
export const reminderFieldInputs = Object.fromEntries(
  reminderFields.map(([name, field]) => [name, inputOf(field)]),
) as Inputs;

/** The fields in a view. */
export const reminderFieldViews = Object.fromEntries(
  reminderFields
    .filter(([, { shown }]) => shown)
    .map(([name, field]) => [name, isFirst(name) ? shownAs(field) : ours(shownAs(field).optional())]),
) as Shown;
