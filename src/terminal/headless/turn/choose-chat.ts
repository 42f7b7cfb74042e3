import type { HeadlessState, PromptDelivery } from '../../port.ts';
import { sessionIdProblem } from './session-id.ts';

export type ChatChoice = { kind: 'create' } | { kind: 'exact'; id: string } | { kind: 'last' };

export type Chosen = { chat: ChatChoice; takesOverride: boolean } | { refused: string };

/**
 * Which chat a prompt goes to. An explicit choice wins and leaves the one-shot override alone; otherwise the override,
 * for a direct prompt only; then the pinned chat; then what the session was started with; then a new one.
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
