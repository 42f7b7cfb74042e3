import { absolute, dayOf, lengthInWords, serverNow, timeOfDay, useTicking } from '../model/clock.ts';

interface Props {
  utc: string | null | undefined;
  /** A word before it, such as "for". */
  before?: string;
  className?: string;
}

/** How long ago by the server's clock; the exact time is its tooltip. */
export function Age({ utc, before = '', className = '' }: Props) {
  const words = useTicking(() => (utc ? lengthInWords(serverNow() - Date.parse(utc)) : ''));
  if (!utc) return null;
  return (
    <time dateTime={utc} title={absolute(utc)} className={`whitespace-nowrap ${className}`}>
      {before}
      {before && ' '}
      {words}
    </time>
  );
}

/** How long until then, or since. */
export function Until({ utc }: { utc: string }) {
  const words = useTicking(() => {
    const ms = Date.parse(utc) - serverNow();
    return ms >= 0 ? `in ${lengthInWords(ms)}` : `${lengthInWords(-ms)} ago`;
  });
  return (
    <time dateTime={utc} title={absolute(utc)} className="whitespace-nowrap">
      {words}
    </time>
  );
}

export function At({ utc, className = '' }: { utc: string; className?: string }) {
  return (
    <time dateTime={utc} title={absolute(utc)} className={`whitespace-nowrap ${className}`}>
      {timeOfDay(utc)}
    </time>
  );
}

/** The time if it is today, otherwise with the day. */
export function When({ utc }: { utc: string }) {
  const words = useTicking(() => {
    const at = new Date(utc);
    const today = new Date(serverNow());
    if (Number.isNaN(at.getTime())) return '?';
    if (at.toDateString() === today.toDateString()) return timeOfDay(utc).slice(0, 5);
    return serverNow() - at.getTime() < 6 * 86_400_000
      ? `${dayOf(utc).slice(0, 3)} ${timeOfDay(utc).slice(0, 5)}`
      : at.toISOString().slice(0, 10);
  });
  return (
    <time dateTime={utc} title={absolute(utc)} className="whitespace-nowrap">
      {words}
    </time>
  );
}
