import { invalid } from '../../base/index.ts';
import { type DeliveryKind, definitionOf, rankingAfterAll, rankingBeforeAll } from '../../domain/index.ts';
import type { PutReminderInput, Reminder, ReminderDefinitionInput } from '../../wire/index.ts';
import { fieldsOf, type ReminderFlags } from './reminder-flags.ts';

/** The definition that the flags of `create` describe. The gateway checks that its fields fit together. */
export function newDefinition(flags: ReminderFlags, rankings: readonly number[]): ReminderDefinitionInput {
  const ranking = rankingOf(flags, rankings);
  if (ranking === undefined) throw invalid('set exactly one of --ranking, --before-all or --after-all');
  if (flags.prompt === undefined && flags.sequence === undefined)
    throw invalid('set exactly one of --prompt or --sequence');
  if (flags.mode === undefined || flags.title === undefined) throw invalid('--mode and --title are required');
  return {
    mode: flags.mode,
    title: flags.title,
    ranking,
    ...content(flags, null),
    ...fieldsOf(flags),
  };
}

/**
 * The reminder with the changes of the flags. Without a time flag its due time stays, and its cadence counts from there.
 * `otherRankings` does not include its own.
 */
export function changedDefinition(
  current: Reminder,
  flags: ReminderFlags,
  otherRankings: readonly number[],
): PutReminderInput {
  if (Object.values(flags).every((value) => value === undefined))
    throw invalid('nothing to change: use at least one of the flags of a reminder');
  const mode = flags.mode ?? current.mode;
  const durable = flags.durable ?? current.durable ?? false;
  const { prompt: _p, send_keys: _k, missed: _m, ...kept } = definitionOf(current);
  const { interval_seconds: _i, cron: _c, time_zone: _z, deliver_at_utc: _d, ...others } = kept;
  return {
    ...others,
    ...fieldsOf(flags),
    mode,
    title: flags.title ?? current.title,
    ranking: rankingOf(flags, otherRankings) ?? current.ranking,
    ...content(flags, current),
    ...timing(mode, current, flags),
    durable,
    ...given({ missed: flags.missed ?? (durable ? current.missed : undefined) }),
  };
}

function rankingOf(flags: ReminderFlags, rankings: readonly number[]): number | undefined {
  const ways = [flags.ranking !== undefined, flags.beforeAll, flags.afterAll].filter(Boolean);
  if (ways.length > 1) throw invalid('set at most one of --ranking, --before-all or --after-all');
  if (flags.beforeAll) return rankingBeforeAll(rankings);
  if (flags.afterAll) return rankingAfterAll(rankings);
  return flags.ranking;
}

type Content = Pick<ReminderDefinitionInput, DeliveryKind>;

function content({ prompt, sequence, ensureEnter }: ReminderFlags, current: Reminder | null): Content {
  if (prompt !== undefined && sequence !== undefined)
    throw invalid('--prompt and --sequence exclude each other: a reminder sends one or the other');
  const keys = prompt === undefined ? (current?.send_keys ?? null) : null;
  const typed = sequence ?? keys?.sequence;
  if (typed === undefined) {
    if (ensureEnter !== undefined) throw invalid('--ensure-enter goes with --sequence');
    return { prompt: prompt ?? current?.prompt ?? null };
  }
  const enter = ensureEnter ?? (sequence === undefined ? keys?.ensure_enter : undefined);
  return { send_keys: { sequence: typed, ...(enter !== undefined && { ensure_enter: enter }) } };
}

type Timing = Pick<
  ReminderDefinitionInput,
  'start_after_seconds' | 'deliver_at_utc' | 'interval_seconds' | 'cron' | 'time_zone'
>;

function timing(mode: Reminder['mode'], current: Reminder, flags: ReminderFlags): Timing {
  const start = given({
    start_after_seconds: flags.startAfterSeconds,
    deliver_at_utc: flags.deliverAtUtc,
  });
  const cron = flags.cron ?? (mode === 'repeat' && flags.intervalSeconds === undefined ? current.cron : null);
  if (cron) {
    const zone = flags.timeZone ?? current.time_zone;
    return { ...start, cron, ...given({ time_zone: zone, interval_seconds: flags.intervalSeconds }) };
  }
  const interval = flags.intervalSeconds ?? (mode === 'repeat' ? current.interval_seconds : null);
  return {
    ...(Object.keys(start).length > 0 ? start : { deliver_at_utc: current.next_due_at_utc }),
    ...given({ interval_seconds: interval, time_zone: flags.timeZone }),
  };
}

/** Without the fields that are null or undefined. */
function given<T extends object>(fields: T): { [K in keyof T]: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as never;
}
