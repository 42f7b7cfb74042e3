import { codesOf } from '../words/table.ts';
import {
  NOTIFIER_MODES,
  type NotifierMode,
  PARK_POLICIES,
  type ParkPolicy,
  REPEAT_POLICIES,
  type RepeatPolicy,
  WAKE_ANNOUNCEMENTS,
  WAKE_TEXTS,
  type WakeAnnouncement,
  type WakeText,
} from '../words/wake-policies.ts';

export interface QuietHours {
  /** `22:00`. If it is later than `to`, the hours span midnight. */
  from: string;
  to: string;
  time_zone: string;
}

/** The values that a setting may have. */
export type SettingKind =
  | { type: 'whole'; from: number; to: number }
  | { type: 'code'; codes: readonly string[] }
  | { type: 'hours' };

type ValueOf<Kind> = Kind extends { type: 'whole' }
  ? number
  : Kind extends { type: 'code'; codes: readonly (infer Code)[] }
    ? Code
    : QuietHours;

export interface WakeSetting {
  kind: SettingKind;
  /** If a body omits it: it is refused, goes back to its default, or stays as it was. */
  omitted: 'refused' | 'default' | 'stays';
  /** The value before anyone sets it; null: none. A setting whose fallback is null is removed by null or `none`. */
  fallback: number | string | null;
  /** The value that `--wake` sets. Undefined: unchanged. */
  usual?: number | string;
  /** Its column, if named differently. */
  column?: string;
  flag: { value: string; summary: string };
  /** Its key in a configuration file, below `wake.`. */
  config: string;
  /** Its description in a body; null if its name is enough. */
  body: string | null;
  /** For people, as a part of `wakePolicyWords`. Null: left out. The interval is in words. */
  words: (value: never, interval: string) => string | null;
}

const listed = (policies: Readonly<Record<string, { help: string }>>): string =>
  Object.entries(policies)
    .map(([code, { help }]) => `\`${code}\` ${help}`)
    .join('; ');

/**
 * How an agent is woken for mail. Flags, configuration keys, bodies, storage and page are made from this table. A new
 * setting also needs its column (notifier-schema.ts) and its rule (decide-wake.ts).
 */
export const WAKE_SETTINGS = {
  interval_seconds: {
    kind: { type: 'whole', from: 1, to: 366 * 86_400 },
    omitted: 'refused',
    fallback: null,
    usual: 60,
    flag: { value: 'N', summary: 'time between two checks when nothing happens; 1 or more' },
    config: 'Time between two checks when nothing happens.',
    body: null,
    // Said by `repeat`.
    words: () => null,
  },
  mode: {
    kind: { type: 'code', codes: codesOf(NOTIFIER_MODES) },
    omitted: 'default',
    fallback: 'any_inbox',
    flag: {
      value: 'MODE',
      summary: 'any_inbox: until mail is archived (the default); unread_only: until it is read',
    },
    config: 'Until mail is archived, or until it is read.',
    body: 'Omitting it resets it to `any_inbox`.',
    words: (mode: NotifierMode) => NOTIFIER_MODES[mode].wakesFor,
  },
  repeat: {
    kind: { type: 'code', codes: codesOf(REPEAT_POLICIES) },
    omitted: 'stays',
    fallback: 'every_poll',
    usual: 'backoff',
    column: 'repeat_policy',
    flag: {
      value: 'POLICY',
      summary:
        'announce unchanged mail at every interval (the default at first), never, or at growing intervals',
    },
    config: 'How often unchanged mail is announced again.',
    body: `${listed(REPEAT_POLICIES)}. Omitted: as it was; at first \`every_poll\`.`,
    words: (repeat: RepeatPolicy, interval: string) => REPEAT_POLICIES[repeat].repeats(interval),
  },
  quiet_hours: {
    kind: { type: 'hours' },
    omitted: 'stays',
    fallback: null,
    column: 'quiet_hours_json',
    flag: {
      value: 'FROM-TO',
      summary: 'no wakes between these times of day (or none); mail that arrived is announced afterwards',
    },
    config: 'No wakes between these times of day.',
    body: 'No wakes between these times of day; mail that arrived is announced afterwards. Omitted: as it was; null: none.',
    words: (hours: QuietHours | null) => hours && `quiet ${hours.from}-${hours.to} ${hours.time_zone}`,
  },
  wakes_per_hour: {
    kind: { type: 'whole', from: 1, to: Number.MAX_SAFE_INTEGER },
    omitted: 'stays',
    fallback: null,
    usual: 30,
    flag: { value: 'N', summary: 'maximum number of wakes in any hour, or none' },
    config: 'Maximum number of wakes in any hour.',
    body: 'Maximum number of wakes in any hour. Omitted: as it was; null: not limited.',
    words: (wakes: number | null) => (wakes === null ? null : `at most ${wakes}/h`),
  },
  wake_text: {
    kind: { type: 'code', codes: codesOf(WAKE_TEXTS) },
    omitted: 'stays',
    fallback: 'full',
    flag: {
      value: 'TEXT',
      summary:
        'full: the text names every mail address of the gateway (the default at first); short: without them, where the session has mail tools',
    },
    config: 'The text of a wake: with every address, or short where the session has mail tools.',
    body: 'The text of a wake: `full` names every mail URL; `short` leaves them out where the session has mail tools. Omitted: as it was; at first `full`.',
    words: (text: WakeText) => (WAKE_TEXTS[text].urls ? null : 'short text'),
  },
  announce: {
    kind: { type: 'code', codes: codesOf(WAKE_ANNOUNCEMENTS) },
    omitted: 'stays',
    fallback: 'nothing',
    flag: {
      value: 'WHAT',
      summary:
        'senders: a wake names the registered agents the mail is from, and "you"; everyone else is "someone outside". nothing is the default at first',
    },
    config: 'Whether a wake names senders: registered agents and "you"; everyone else is "someone outside".',
    body: '`senders`: a wake names the registered agents the mail is from, and "you"; everyone else is "someone outside". Never a subject. Omitted: as it was; at first `nothing`.',
    words: (what: WakeAnnouncement) => (WAKE_ANNOUNCEMENTS[what].senders ? 'names senders' : null),
  },
  park: {
    kind: { type: 'code', codes: codesOf(PARK_POLICIES) },
    omitted: 'stays',
    fallback: 'hold',
    flag: {
      value: 'POLICY',
      summary:
        'at a usage limit: hold what waits until it ends (the default), also resume a turn that it cut, or off',
    },
    config:
      'What happens at a usage limit: `hold` what waits until it ends, also `resume` a turn that it cut, or `off`.',
    body: `At a usage limit: ${listed(PARK_POLICIES)}. Omitted: as it was; at first \`hold\`.`,
    words: (park: ParkPolicy) =>
      park === 'hold' ? null : `${park === 'off' ? 'not parked' : 'resumed'} at usage limits`,
  },
} as const satisfies Record<string, WakeSetting>;

type Table = typeof WAKE_SETTINGS;
export type WakeSettingName = keyof Table;

/** The values of all settings. Null: none. */
export type WakeValues = {
  [Name in WakeSettingName]:
    | ValueOf<Table[Name]['kind']>
    | (Table[Name]['fallback'] extends null ? null : never);
};

export const wakeSettings = Object.entries(WAKE_SETTINGS) as [WakeSettingName, WakeSetting][];

const collect = (value: (setting: WakeSetting, name: WakeSettingName) => unknown): object =>
  Object.fromEntries(
    wakeSettings
      .map(([name, setting]) => [name, value(setting, name)])
      .filter(([, each]) => each !== undefined),
  );

/** The values before anyone sets any. */
export const NO_WAKES = collect(({ fallback }) => fallback) as WakeValues;

type Usual = {
  [Name in WakeSettingName as Table[Name] extends { usual: unknown } ? Name : never]: Table[Name] extends {
    usual: infer U;
  }
    ? U
    : never;
};

/** How an agent is woken for mail by default. */
export const USUAL_WAKES = collect(({ usual }) => usual) as Usual;

/** Picks the settings out of an object that has more. */
export const wakeValuesOf = (from: Readonly<Partial<Record<WakeSettingName, unknown>>>): WakeValues =>
  collect((_, name) => from[name]) as WakeValues;
