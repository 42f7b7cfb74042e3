import type { EventRule } from './events/event-rules.ts';

/**
 * The command line of a turn as templates. `{args}` stands for the arguments of the launch, `{model}` for the words of
 * the request's model, `{role}` for the tool's role words (none without a role), `{session}` for the chat to go on
 * with, `{prompt}` for the text. With `prompt: 'stdin'` the text is the tool's standard input and stands in no argument.
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
export interface ToolHabits {
  tool: string;
  shape: TurnShape;
  /** Words for the role: `{text}`, or `{toml}` for the text as a quoted TOML string. */
  role: string[];
  /** Words for another model; `{name}`. Empty: the tool takes none. */
  model: string[];
  /** Words for a reasoning level, `{level}`, and the levels from the least to the most. */
  reasoning?: { words: string[]; ladder: string[] };
  /** Where the chat's id stands, beside the places searched for every tool. */
  sessionId?: { when: Record<string, string>; path: string };
  events: EventRule[];
}
