import { invalid } from '../../base/index.ts';

const UNITS: Record<string, number> = { '': 1, ms: 1, s: 1000, m: 60_000 };

/** `800ms`, `2s`, `1.5s`, `1m`; a bare number is milliseconds. Undefined for other text. */
export function durationMs(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text.trim());
  if (!match) return undefined;
  const ms = Number(match[1]) * UNITS[match[2] ?? '']!;
  return ms <= 86_400_000 ? Math.round(ms) : undefined;
}

export function requireDuration(text: string, field: string): number {
  const ms = durationMs(text);
  if (ms === undefined)
    throw invalid(`${field} "${text}" is not a duration (800ms, 2s, 1.5s, 1m; at most 24 h)`);
  return ms;
}
