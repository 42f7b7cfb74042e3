import {
  type PartialTimings,
  resolveTimings,
  TUI_TIMING_RULES,
  type TuiTimings,
} from '../../domain/index.ts';

/** Timings by field or by the gateway's flag for it, as numbers or as the text of a command line. */
export function readTimings(given: Record<string, unknown> = {}): TuiTimings {
  const explicit: PartialTimings = {};
  for (const { field, processFlag } of TUI_TIMING_RULES) {
    const value = given[field] ?? given[processFlag];
    if (value !== undefined && value !== null) explicit[field] = Number(value);
  }
  return resolveTimings(explicit).timings;
}
