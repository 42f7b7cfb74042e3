import { invalid } from '../../base/index.ts';

/** Parsers for flag values. Their errors name what is allowed. */

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text) || value < min || value > max) {
      throw invalid(
        `must be a whole number ${max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `from ${min} to ${max}`}`,
      );
    }
    return value;
  };
}

export function positiveSeconds(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value <= 0)
    throw invalid('must be a number of seconds > 0');
  return value;
}

export function utcTime(text: string): string {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()) || !/^\d{4}-\d{2}-\d{2}/.test(text)) {
    throw invalid('must be an ISO-8601 time such as 2026-01-31T09:00:00Z');
  }
  return text;
}

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 7 * 86_400 };

/** A time in the past: how long ago (`7d`, `12h`), a local date, or an ISO-8601 time. Returns it in UTC. */
export function sinceTime(text: string, now = new Date()): string {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text.trim()) ?? [];
  if (unit !== undefined) return new Date(now.getTime() - Number(count) * UNITS[unit]! * 1000).toISOString();
  // A date alone is that day's local midnight; JavaScript would take it as UTC.
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text.trim());
  const at = new Date(date ? `${text.trim()}T00:00:00` : text);
  if (Number.isNaN(at.getTime()) || !/^\s*\d{4}-\d{2}-\d{2}/.test(text))
    throw invalid('must be how long ago (7d, 12h, 30m), a date, or a time such as 2026-01-31T09:00:00Z');
  return date ? at.toISOString() : text.trim();
}

/** A time to come: `2h`, `30m`, `1d` from now, or an ISO time. */
export function aheadTime(text: string, now = new Date()): string {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(text.trim()) ?? [];
  const at =
    unit === undefined ? new Date(text) : new Date(now.getTime() + Number(count) * UNITS[unit]! * 1000);
  const isTime = unit !== undefined || /^\s*\d{4}-\d{2}-\d{2}T/.test(text);
  if (!isTime || Number.isNaN(at.getTime()))
    throw invalid('must be how far ahead (2h, 30m, 1d), or a time such as 2026-01-31T09:00:00Z');
  if (at <= now) throw invalid('must be in the future');
  return at.toISOString();
}

export function notBlank(text: string): string {
  if (text.trim() === '') throw invalid('must not be blank');
  return text;
}

const DURATION_UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90d`, `12h`, `30m`, `45s`, in seconds. */
export function durationSeconds(text: string): number {
  const [, number, unit] = /^(\d{1,7})([smhd])$/.exec(text) ?? [];
  const seconds = Number(number) * (DURATION_UNITS[unit ?? ''] ?? Number.NaN);
  if (seconds >= 0) return seconds;
  throw invalid(`"${text}" is not a duration`, { hint: 'write 90d, 12h, 30m or 45s' });
}
