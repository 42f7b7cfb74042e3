/** The last instant that a due time may name. Later ones become this one, which never comes. */
export const END_OF_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/**
 * Parses an ISO-8601 instant to milliseconds; undefined if the text is not one. Without an offset it is UTC, never local
 * time, so that the same text means the same instant on every machine.
 */
export function parseUtcTime(text: string): number | undefined {
  const match = ISO_8601.exec(text.trim());
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0));
  if (year! < 1 || hour! > 23 || minute! > 59 || second! > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year!, month! - 1, day!);
  if (date.getUTCMonth() !== month! - 1 || date.getUTCDate() !== day) return undefined;
  const offset = offsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const fraction = Math.floor(Number(`0.${match[7] ?? 0}`) * 1000);
  date.setUTCHours(hour!, minute!, second!, fraction);
  return date.getTime() - offset * 60_000;
}

function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text === 'Z' || text === 'z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', '') || 0);
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
