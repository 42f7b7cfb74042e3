import { utcSeconds } from './ids.ts';
import type { Clock } from './time/clock.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  debug(message: string, facts?: Record<string, unknown>): void;
  info(message: string, facts?: Record<string, unknown>): void;
  warn(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

export interface LogOptions {
  clock: Clock;
  write: (line: string) => void;
  level?: LogLevel;
}

const LEVELS: LogLevel[] = ['debug', 'info', 'warn', 'error'];

/** Writes lines of `<utc seconds> <message> key=value …`. Warnings and errors are marked. One event is one line. */
export function createLog({ clock, write, level = 'info' }: LogOptions): Log {
  const say =
    (at: LogLevel) =>
    (message: string, facts: Record<string, unknown> = {}): void => {
      if (LEVELS.indexOf(at) < LEVELS.indexOf(level)) return;
      const mark = at === 'warn' || at === 'error' ? `${at}: ` : '';
      write(`${utcSeconds(clock.now())} ${oneLine(mark + message)}${renderFacts(facts)}\n`);
    };
  return { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') };
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

function renderFacts(facts: Record<string, unknown>): string {
  let text = '';
  for (const [key, value] of Object.entries(facts))
    if (value !== undefined) text += ` ${key}=${renderValue(value)}`;
  return text;
}

function renderValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w.:/@+-]+$/.test(text) ? text : JSON.stringify(text);
}

function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}
