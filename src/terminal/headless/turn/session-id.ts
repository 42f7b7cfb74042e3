import type { ToolHabits } from '../../../tools/index.ts';
import { at, holds } from '../events/event-rules.ts';

const NAMES = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId', 'session.id', 'thread.id'];
const PLACES = [...NAMES, ...NAMES.map((name) => `data.${name}`)];
const LONGEST_ID = 200;

/** The chat's id in one event, from the first place that holds one. */
export function findSessionId(value: unknown, own: ToolHabits['sessionId']): string | null {
  const places = own && holds(value, own.when) ? [own.path, ...PLACES] : PLACES;
  for (const place of places) {
    const found = at(value, place);
    if (typeof found === 'string' && sessionIdProblem(found) === undefined) return found;
  }
  return null;
}

/** Why this cannot be given to a tool as the id of a chat. A leading dash would be read as a flag. */
export function sessionIdProblem(id: string): string | undefined {
  if (id === '' || id.length > LONGEST_ID) return `must have 1 to ${LONGEST_ID} characters`;
  if (id.startsWith('-')) return 'must not begin with "-"';
  return /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id)
    ? 'must have no white space or control characters'
    : undefined;
}
