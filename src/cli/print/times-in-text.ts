import { dayAndTime } from './local-time.ts';

const STAMP = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A text of Rouse for people, such as a reason, with its times as all others are shown: local, unless UTC is. */
export const timesInText = (text: string, offsetOf?: Parameters<typeof dayAndTime>[1]): string =>
  text.replace(STAMP, (stamp) => dayAndTime(stamp.replace(' ', 'T'), offsetOf) ?? stamp);
