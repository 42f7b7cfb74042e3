import type { BackendKind } from '../domain/index.ts';

/**
 * The command line of a turn as templates. `{args}` stands for the arguments of the launch, `{model}` for the words of
 * the request's model, `{role}` for the tool's role words (none without a role), `{session}` for the chat to go on
 * with, `{prompt}` for the text. With `prompt: 'stdin'` the text is the tool's standard input and stands in no argument.
 * A launch records it in the manifest, and turns are run as recorded.
 */
export interface TurnShape {
  prompt: 'stdin' | 'argument';
  /** `arguments`: given with every turn. `prefix`: stands before the first prompt of a chat. */
  role: 'arguments' | 'prefix';
  /** A new chat, one named by its id, and the tool's latest (or a new one when it has none). */
  create: string[];
  exact: string[];
  last: string[];
}

/** What Rouse knows about a tool's headless mode: data only. */
export interface HeadlessHabits {
  backend: BackendKind;
  shape: TurnShape;
  /** Words for the role, where they are others than those of an interactive start. */
  role?: string[];
  /** Words for another model; `{name}`. Empty: the tool takes none. */
  model: string[];
  /** Words for a reasoning level, `{level}`, and the levels from the least to the most. */
  reasoning?: { words: string[]; ladder: string[] };
  /** Where the chat's id stands, beside the places searched for every tool. */
  sessionId?: { when: Record<string, string>; path: string };
  /** How its output is understood. */
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

/** How one line of a tool's output is understood. The first rule whose `when` holds decides. */
export interface EventRule {
  /** Dotted paths and the text that must stand there; `*` is satisfied by anything that is there. */
  when: Record<string, string>;
  kind: EventKind;
  /** Dotted paths of the event's text; the first that holds any. */
  message?: string[];
  /** The line holds several events: one for each element of the array at this path that a rule of `parts` knows. */
  each?: string;
  parts?: EventRule[];
}
