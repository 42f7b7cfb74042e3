import {
  type PartialTimings,
  resolveTimings,
  TUI_TIMING_RULES,
  type TuiTimings,
} from '../../domain/index.ts';

/** Reads timings by field name or by the gateway's flag, as numbers or as command-line text. */
export function readTimings(settings: Record<string, unknown> = {}): TuiTimings {
  const explicit: PartialTimings = {};
  for (const { field, processFlag } of TUI_TIMING_RULES) {
    const value = settings[field] ?? settings[processFlag];
    if (value !== undefined && value !== null) explicit[field] = Number(value);
  }
  return resolveTimings(explicit).timings;
}
