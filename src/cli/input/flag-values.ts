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

export function notBlank(text: string): string {
  if (text.trim() === '') throw invalid('must not be blank');
  return text;
}
