import type { BackendKind } from '../domain/index.ts';

/**
 * The command line of a turn as templates. `{args}`: the arguments of the launch. `{model}`: the words for the request's
 * model. `{role}`: the tool's role words, none without a role. `{session}`: the chat to continue. `{prompt}`: the text.
 * With `prompt: 'stdin'` the text is on standard input and in no argument. A launch records the templates in the manifest,
 * and turns run as recorded.
 */
export interface TurnShape {
  prompt: 'stdin' | 'argument';
  /** `arguments`: passed with every turn. `prefix`: put before the first prompt of a chat. */
  role: 'arguments' | 'prefix';
  /** A new chat, one with this id, and the tool's latest (or a new one if it has none). */
  create: string[];
  exact: string[];
  last: string[];
}

/** What Rouse knows about a tool's headless mode: data only. */
export interface HeadlessHabits {
  backend: BackendKind;
  shape: TurnShape;
  /** Words for the role, if they differ from those of an interactive start. */
  role?: string[];
  /** Words for another model, `{name}`. Empty: the tool takes none. */
  model: string[];
  /** Words for a reasoning level, `{level}`, and the levels in ascending order. */
  reasoning?: { words: string[]; ladder: string[] };
  /** Where the chat's id is, apart from the places searched for every tool. */
  sessionId?: { when: Record<string, string>; path: string };
  /** How its output is parsed. */
  events: EventRule[];
}

export const EVENT_KINDS = [
  'assistant',
  'action_request',
  'action_result',
  'progress',
  'completion',
  'diagnostic',
  'passthrough',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** How one line of a tool's output is parsed. The first rule whose `when` matches applies. */
export interface EventRule {
  /** Dotted paths and the text that must be there; `*` matches anything that is present. */
  when: Record<string, string>;
  kind: EventKind;
  /** Dotted paths of the event's text; the first one with text is used. */
  message?: string[];
  /** The line has several events: one for each element of the array at this path that a rule of `parts` matches. */
  each?: string;
  parts?: EventRule[];
}
