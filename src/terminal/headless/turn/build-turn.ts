import { roleWords, type ToolHabits, type TurnShape } from '../../../tools/index.ts';
import type { HeadlessState, PromptDelivery } from '../../port.ts';
import { sessionIdProblem } from '../events/event-rules.ts';

export type ChatChoice = { kind: 'create' } | { kind: 'exact'; id: string } | { kind: 'last' };

type Chosen = { chat: ChatChoice; takesOverride: boolean } | { refused: string };

/**
 * Which chat a prompt goes to. An explicit choice wins and does not use up the one-shot override. Otherwise, in this
 * order: the override (direct prompts only), the pinned chat, the one the session was started with, a new one.
 */
export function chooseChat(
  asked: PromptDelivery['chatSession'],
  { current, startup_default: startup, next_prompt_override: override }: HeadlessState['chat_session'],
  direct: boolean,
): Chosen {
  const mode = asked?.mode ?? 'auto';
  if (mode === 'auto') {
    if (override && direct) return { chat: { kind: 'create' }, takesOverride: true };
    if (current) return exact(current.id);
    return startup.mode === 'exact' ? exact(startup.id ?? '') : plain(startup.mode);
  }
  if (mode === 'current')
    return current ? exact(current.id) : { refused: 'there is no current chat session' };
  return mode === 'exact' ? exact(asked?.id ?? '') : plain(mode);
}

function plain(mode: 'new' | 'tool_last_or_new'): Chosen {
  return { chat: { kind: mode === 'new' ? 'create' : 'last' }, takesOverride: false };
}

function exact(id: string): Chosen {
  const problem = sessionIdProblem(id);
  return problem
    ? { refused: `chat_session.id ${problem}` }
    : { chat: { kind: 'exact', id }, takesOverride: false };
}

/** How this session starts the tool. */
export interface TurnTool {
  habits: ToolHabits;
  shape: TurnShape;
  executable: string;
  args: string[];
  /** Applied to every turn, also when a chat continues. */
  role: string | null;
}

interface TurnRequest {
  chat: ChatChoice;
  prompt: string;
  /** No message of this chat contains the role yet; matters to tools that take it as a prefix. */
  roleIsNew: boolean;
  model?: NonNullable<PromptDelivery['execution']>['model'];
}

export type BuiltTurn =
  | { command: string[]; stdin: string | null; carriesRole: boolean }
  | { refused: string };

/** The command of one turn. No shell is used: each word is one argument. */
export function buildTurn(tool: TurnTool, request: TurnRequest): BuiltTurn {
  const { shape, habits, role } = tool;
  const { chat } = request;
  const template = shape[chat.kind];
  if (chat.kind === 'exact' && !resumesById(shape))
    return { refused: `${habits.tool} cannot continue a chat by its id` };
  const model = modelWords(habits, request.model);
  if ('refused' in model) return model;
  const prefixed = shape.role === 'prefix' && role !== null && request.roleIsNew;
  const prompt = prefixed ? `${role}\n\n${request.prompt}` : request.prompt;
  const inArguments = shape.prompt === 'argument';
  if (inArguments && prompt.includes('\u0000'))
    return { refused: `the prompt contains U+0000, which ${habits.tool} does not accept` };
  const values: Record<string, string> = { '{session}': chat.kind === 'exact' ? chat.id : '' };
  if (inArguments) values['{prompt}'] = prompt;
  const promptInArgs = inArguments && !template.some((word) => word.includes('{prompt}'));
  const lists: Record<string, string[]> = {
    '{args}': promptInArgs ? tool.args.map((word) => fill(word, { '{prompt}': prompt })) : tool.args,
    '{model}': model.words,
    '{role}': role === null ? [] : roleWords(habits.role, role),
  };
  return {
    command: [tool.executable, ...template.flatMap((word) => lists[word] ?? [fill(word, values)])],
    stdin: inArguments ? null : prompt,
    carriesRole: role !== null && (shape.role === 'arguments' || prefixed),
  };
}

/** Whether the tool can continue a chat by its id, and so must report that id. */
export function resumesById(shape: TurnShape): boolean {
  return shape.exact.some((word) => word.includes('{session}'));
}

function modelWords(
  habits: ToolHabits,
  model: TurnRequest['model'],
): { words: string[] } | { refused: string } {
  const words: string[] = [];
  const { name, reasoning } = model ?? {};
  if (name != null) {
    if (habits.model.length === 0) return { refused: `${habits.tool} has no argument for another model` };
    if (name.startsWith('-') || name.includes('\u0000'))
      return { refused: 'execution.model.name must not begin with "-" or contain U+0000' };
    words.push(...habits.model.map((word) => fill(word, { '{name}': name })));
  }
  if (reasoning != null) {
    if (!habits.reasoning) return { refused: `${habits.tool} has no argument for a reasoning level` };
    const { ladder } = habits.reasoning;
    const level = ladder[Math.min(reasoning.level, ladder.length - 1)]!;
    words.push(...habits.reasoning.words.map((word) => fill(word, { '{level}': level })));
  }
  return { words };
}

/** One pass, so an inserted value is never read as a placeholder. */
function fill(word: string, values: Record<string, string>): string {
  return word.replace(/\{[a-z]+\}/g, (name) => values[name] ?? name);
}
