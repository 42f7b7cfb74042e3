import { type Clock, utcStamp } from '../../../base/index.ts';
import { EVENT_KINDS, type EventKind, type ToolHabits } from '../../../tools/index.ts';
import { type Line, LineSplitter } from '../runner/line-splitter.ts';
import type { CanonicalEvent } from './canonical-event.ts';
import { findSessionId, understand } from './event-rules.ts';

/** Longer lines are only counted; longer texts are cut; longer raw lines are only in stdout.jsonl. */
const LONGEST_LINE = 8 * 1024 * 1024;
const LONGEST_MESSAGE = 4000;
const LONGEST_RAW = 16 * 1024;
const LONGEST_ANSWER = 500;
/** Listed events of one kind; the rest is only counted. Endless output must not be stored twice. */
const MAX_EVENTS_OF_KIND: Partial<Record<EventKind, number>> = { passthrough: 2000 };
const MAX_EVENTS = 20_000;

export interface EventStreamOptions {
  habits: Pick<ToolHabits, 'tool' | 'events' | 'sessionId'>;
  turnIndex: number;
  clock: Clock;
  longestLine?: number;
}

/**
 * Turns a tool's standard output into events as it arrives. A line that no rule matches passes through unchanged;
 * nothing a tool prints is an error.
 */
export class EventStream {
  readonly counts: Record<EventKind, number> = Object.fromEntries(
    EVENT_KINDS.map((kind) => [kind, 0]),
  ) as never;
  /** Lines that were too long to read. */
  unread = 0;
  sessionId: string | null = null;
  /** The beginning of the last answer. */
  answer = '';
  /** The tool's last remark about its own state: how it ended, what went wrong. */
  remark = '';
  readonly #options: EventStreamOptions;
  readonly #lines: LineSplitter;
  #line = 0;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#lines = new LineSplitter(options.longestLine ?? LONGEST_LINE);
  }

  feed(chunk: Uint8Array): CanonicalEvent[] {
    return this.#lines.feed(chunk).flatMap((line) => this.#list(this.#read(line)));
  }

  end(): CanonicalEvent[] {
    return this.#lines.end().flatMap((line) => this.#list(this.#read(line)));
  }

  /** The chat is worth continuing: the model answered or acted in it. */
  get sawWork(): boolean {
    return this.counts.assistant + this.counts.action_request + this.counts.action_result > 0;
  }

  #list(events: CanonicalEvent[]): CanonicalEvent[] {
    return events.filter(({ kind }) => ++this.counts[kind] <= (MAX_EVENTS_OF_KIND[kind] ?? MAX_EVENTS));
  }

  #read(line: Line): CanonicalEvent[] {
    this.#line++;
    if (line.text === null) {
      this.unread++;
      return [this.#event('diagnostic', `a line of ${line.bytes} bytes is too long to read`, line)];
    }
    if (line.text.trim() === '') return [];
    const value = parsed(line.text);
    if (value === undefined) return [this.#event('passthrough', line.text, line)];
    const { habits } = this.#options;
    this.sessionId ??= findSessionId(value, habits.sessionId);
    const type = typeOf(value);
    const found = understand(value, habits.events);
    if (found.length === 0) return [this.#event('passthrough', '', line, type)];
    return found.map(({ kind, message }) => this.#event(kind, message, line, type));
  }

  #event(kind: EventKind, message: string, line: Line, type: string | null = null): CanonicalEvent {
    const { habits, turnIndex, clock } = this.#options;
    if (kind === 'assistant' && message !== '') {
      const goesOn = this.#lastKind === 'assistant';
      this.answer = (goesOn ? this.answer + message : message).slice(0, LONGEST_ANSWER);
    }
    if ((kind === 'completion' || kind === 'diagnostic') && message !== '')
      this.remark = message.slice(0, LONGEST_ANSWER);
    this.#lastKind = kind;
    const inline = type !== null && line.text !== null && line.bytes <= LONGEST_RAW;
    return {
      kind,
      message: message.slice(0, LONGEST_MESSAGE),
      turnIndex,
      provider: habits.tool,
      providerEventType: type,
      timestampUtc: utcStamp(clock.now()),
      sessionId: this.sessionId,
      line: this.#line,
      bytes: line.bytes,
      raw: inline ? line.text : null,
    };
  }

  #lastKind: EventKind | undefined;
}

/** Returns an object; everything else that a tool prints is text. */
function parsed(text: string): object | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

function typeOf(value: object): string {
  const { type, role } = value as { type?: unknown; role?: unknown };
  if (typeof type === 'string') return type.slice(0, 200);
  return typeof role === 'string' ? role.slice(0, 200) : '';
}
