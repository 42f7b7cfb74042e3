import { bareReason } from '../../domain/index.ts';
import type { Colour } from '../print/colour.ts';
import { dayAndTime } from '../print/local-time.ts';
import { harmless } from '../print/terminal-text.ts';

/** One thing that happened, from the running log or the history of events. */
export interface LogLine {
  at: string;
  from: 'log' | 'events';
  level: 'info' | 'warn' | 'error';
  /** In words. */
  text: string;
  facts: Record<string, unknown>;
}

const LOGGED = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (?:(warn|error): )?(.*)$/;
const FACT = /(?:^| )(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g;

/** A line of gateway.log. Other text is kept unchanged. */
export function ofLog(line: string): LogLine {
  const [, at = '', level = 'info', rest = line] = LOGGED.exec(line) ?? [];
  const begun = rest.search(/ \w+=/);
  const text = begun === -1 ? rest : rest.slice(0, begun);
  const facts =
    begun === -1
      ? []
      : [...rest.slice(begun).matchAll(FACT)].map(([, key, value]) => [key, unquoted(value!)]);
  return { at, from: 'log', level: level as LogLine['level'], text, facts: Object.fromEntries(facts) };
}

function unquoted(text: string): string {
  try {
    return text.startsWith('"') ? (JSON.parse(text) as string) : text;
  } catch {
    return text;
  }
}

/** Events that the log has as well. */
const ALSO_LOGGED = new Set(['accepted', 'accepted_internal', 'completed', 'failed', 'coalesced']);

/** A line of events.jsonl; undefined for events that the log has as well, and for an incomplete line. */
export function ofEvent(line: string): LogLine | undefined {
  let event: Record<string, unknown>;
  try {
    event = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
  const { at_utc, kind, result_json: _result, evidence: _evidence, ...facts } = event;
  if (typeof kind !== 'string' || ALSO_LOGGED.has(kind)) return undefined;
  const level = /failed|refused/.test(kind) ? 'warn' : 'info';
  return { at: String(at_utc ?? ''), from: 'events', level, text: kind.replaceAll('_', ' '), facts };
}

/** `2026-04-16 09:14:02Z  accepted gateway request  request_id=gwreq-…`. */
export function printed({ at, level, text, facts }: LogLine): string {
  const more = Object.entries(facts)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(
      ([key, value]) =>
        `${key.replaceAll('_', ' ')}: ${typeof value === 'string' ? bareReason(value) : JSON.stringify(value)}`,
    )
    .join(', ');
  const mark = level === 'info' ? '' : `${level}: `;
  return harmless(`${(dayAndTime(at) ?? '').padEnd(20)}  ${mark}${text}${more && ` (${more})`}`);
}

export const LEVEL_COLOURS: Record<LogLine['level'], Colour | undefined> = {
  info: undefined,
  warn: 'yellow',
  error: 'red',
};
