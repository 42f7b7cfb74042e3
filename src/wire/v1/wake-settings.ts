import * as z from 'zod';
import {
  isTimeZone,
  type SettingKind,
  type WAKE_SETTINGS,
  type WakeSetting,
  type WakeSettingName,
  type WakeValues,
  wakeSettings,
} from '../../domain/index.ts';
import { about, integer, name, strict, trimmed } from '../fields.ts';
import { ours } from '../source/ours.ts';

const timeOfDay = z
  .string()
  .max(5)
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00');

export const quietHours = name(
  'QuietHours',
  strict({
    from: timeOfDay,
    to: about('May be earlier than `from`: the hours then span midnight.', timeOfDay),
    time_zone: trimmed.refine(
      (value) => isTimeZone(value),
      'must be an IANA time zone such as Europe/Zurich',
    ),
  }),
);

const KINDS = {
  whole: ({ from, to }: { from: number; to: number }) => {
    const least = from === 1 ? integer.positive() : integer.min(from);
    return to === Number.MAX_SAFE_INTEGER ? least : least.max(to);
  },
  code: ({ codes }: { codes: readonly string[] }) => z.enum(codes),
  hours: () => quietHours,
};

const schemaOf = ({ kind }: WakeSetting): z.ZodType =>
  (KINDS[kind.type] as (kind: SettingKind) => z.ZodType)(kind);

const WHEN_OMITTED = {
  refused: (schema: z.ZodType) => schema,
  default: (schema: z.ZodType, { fallback }: WakeSetting) => schema.default(fallback),
  stays: (schema: z.ZodType, { fallback }: WakeSetting) =>
    fallback === null ? schema.nullish() : schema.optional(),
};

function inputOf(setting: WakeSetting): z.ZodType {
  const schema = WHEN_OMITTED[setting.omitted](schemaOf(setting), setting);
  return setting.body === null ? schema : about(setting.body, schema);
}

function shown(setting: WakeSetting): z.ZodType {
  const schema = setting.fallback === null ? schemaOf(setting).nullable() : schemaOf(setting);
  // A setting that the source does not have: optional in a body, and left out for the source's clients.
  return setting.omitted === 'stays' ? ours(schema.optional()) : schema;
}

const fields = (schema: (setting: WakeSetting) => z.ZodType): object =>
  Object.fromEntries(wakeSettings.map(([name, setting]) => [name, schema(setting)]));

type Omitted<Name extends WakeSettingName> = (typeof WAKE_SETTINGS)[Name]['omitted'];
type Value<Name extends WakeSettingName> = WakeValues[Name];
type Inputs = {
  [Name in WakeSettingName]: Omitted<Name> extends 'refused'
    ? z.ZodType<NonNullable<Value<Name>>, NonNullable<Value<Name>>>
    : Omitted<Name> extends 'default'
      ? z.ZodDefault<z.ZodType<Value<Name>, Value<Name>>>
      : z.ZodOptional<z.ZodType<Value<Name>, Value<Name>>>;
};
type Shown = {
  [Name in WakeSettingName]: Omitted<Name> extends 'stays'
    ? z.ZodOptional<z.ZodType<Value<Name>, Value<Name>>>
    : z.ZodType<Value<Name>, Value<Name>>;
};

/** The settings in a body. */
export const wakeSettingInputs = fields(inputOf) as Inputs;
/** The settings in a status. */
export const wakeSettingViews = fields(shown) as Shown;
