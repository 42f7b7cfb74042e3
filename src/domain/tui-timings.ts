import { invalid } from '../base/index.ts';

/** The six times, in seconds, that decide how a gateway watches its agent's screen. */
export interface TuiTimings {
  watch_poll_interval_seconds: number;
  stability_threshold_seconds: number;
  completion_stability_seconds: number;
  unknown_to_stalled_timeout_seconds: number;
  stale_active_recovery_seconds: number;
  final_stable_active_recovery_seconds: number;
}

export type TuiTimingField = keyof TuiTimings;

type Dashed<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}-${Dashed<Tail>}`
  : Name;

export interface TuiTimingRule {
  field: TuiTimingField;
  /** The flag of attach and launch. */
  attachFlag: `gateway-tui-${Dashed<TuiTimingField>}`;
  /** The flag of the gateway process itself. */
  processFlag: string;
  defaultSeconds: number;
  meaning: string;
}

const rule = (field: TuiTimingField, defaultSeconds: number, meaning: string): TuiTimingRule => {
  const dashed = field.replaceAll('_', '-') as Dashed<TuiTimingField>;
  return {
    field,
    attachFlag: `gateway-tui-${dashed}`,
    processFlag: `tui-${dashed}`,
    defaultSeconds,
    meaning,
  };
};

export const TUI_TIMING_RULES: readonly TuiTimingRule[] = [
  rule('watch_poll_interval_seconds', 0.5, 'how soon the screen is checked without a sign of change'),
  rule('stability_threshold_seconds', 1.0, 'how long the screen must stay unchanged to count as stable'),
  rule(
    'completion_stability_seconds',
    1.0,
    'how long a turn must look finished before it counts as a success',
  ),
  rule(
    'unknown_to_stalled_timeout_seconds',
    30.0,
    'how long an unreadable screen is reported as unknown before it is stalled',
  ),
  rule(
    'stale_active_recovery_seconds',
    5.0,
    'how long a turn without evidence may stay active over an empty composer',
  ),
  rule(
    'final_stable_active_recovery_seconds',
    20.0,
    'how long a turn may stay active on a screen that is otherwise still and ready',
  ),
];

export const TUI_TIMING_FIELDS: readonly TuiTimingField[] = TUI_TIMING_RULES.map((each) => each.field);

export type TimingOrigin = 'explicit' | 'persisted' | 'default';

export interface ResolvedTimings {
  timings: TuiTimings;
  origins: Record<TuiTimingField, TimingOrigin>;
}

export type PartialTimings = { [Field in TuiTimingField]?: number | null | undefined };

/** What is wrong with a timing, or undefined. Booleans and text are not numbers here. */
export function timingProblem(value: unknown): string | undefined {
  if (typeof value !== 'number' || Number.isNaN(value)) return 'must be a number of seconds';
  if (!Number.isFinite(value)) return 'must be finite';
  return value > 0 ? undefined : 'must be > 0';
}

/** Each field separately: the value of this action, else what the last attach stored, else the default. */
export function resolveTimings(
  explicit: PartialTimings = {},
  persisted: PartialTimings = {},
): ResolvedTimings {
  const timings = {} as TuiTimings;
  const origins = {} as Record<TuiTimingField, TimingOrigin>;
  for (const { field, attachFlag, defaultSeconds } of TUI_TIMING_RULES) {
    const origin = explicit[field] != null ? 'explicit' : persisted[field] != null ? 'persisted' : 'default';
    const value = { explicit: explicit[field], persisted: persisted[field], default: defaultSeconds }[
      origin
    ]!;
    const problem = timingProblem(value);
    if (problem) {
      const name = origin === 'explicit' ? `--${attachFlag}` : `desired_tui_tracking_timings.${field}`;
      throw invalid(`${name} ${problem}, but is ${String(value)}`);
    }
    timings[field] = value;
    origins[field] = origin;
  }
  return { timings, origins };
}
