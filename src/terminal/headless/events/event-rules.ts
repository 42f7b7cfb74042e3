import type { EventKind, EventRule, ToolHabits } from '../../../tools/index.ts';

interface Understood {
  kind: EventKind;
  message: string;
}

/** The events of one line, in order; empty if no rule matches. */
export function understand(value: unknown, rules: readonly EventRule[]): Understood[] {
  const rule = rules.find((each) => holds(value, each.when));
  if (!rule) return [];
  if (rule.each === undefined) return [{ kind: rule.kind, message: messageOf(value, rule.message ?? []) }];
  const elements = at(value, rule.each);
  if (typeof elements === 'string') return [{ kind: rule.kind, message: elements }];
  if (!Array.isArray(elements)) return [];
  return elements.flatMap((element) => understand(element, rule.parts ?? []));
}

/** The value at a dotted path of own properties. */
function at(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const name of path.split('.')) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

function holds(value: unknown, when: Record<string, string>): boolean {
  return Object.entries(when).every(([path, wanted]) => {
    const found = at(value, path);
    return wanted === '*' ? found !== undefined && found !== null : found === wanted;
  });
}

function messageOf(value: unknown, paths: readonly string[]): string {
  for (const path of paths) {
    const text = textOf(at(value, path));
    if (text !== '') return text;
  }
  return '';
}

/** Text, or the texts of content blocks joined. */
function textOf(found: unknown): string {
  if (typeof found === 'string') return found;
  if (typeof found === 'number' || typeof found === 'boolean') return String(found);
  if (!Array.isArray(found)) return '';
  return found
    .map((block) => at(block, 'text'))
    .filter((text) => typeof text === 'string')
    .join('\n');
}

const NAMES = ['session_id', 'sessionId', 'sessionID', 'thread_id', 'threadId', 'session.id', 'thread.id'];
const PLACES = [...NAMES, ...NAMES.map((name) => `data.${name}`)];
const LONGEST_ID = 200;

/** The chat's id in one event, from the first place that has one. */
export function findSessionId(value: unknown, own: ToolHabits['sessionId']): string | null {
  const places = own && holds(value, own.when) ? [own.path, ...PLACES] : PLACES;
  for (const place of places) {
    const found = at(value, place);
    if (typeof found === 'string' && sessionIdProblem(found) === undefined) return found;
  }
  return null;
}

/** Why this cannot be passed to a tool as the id of a chat. A leading dash would be read as a flag. */
export function sessionIdProblem(id: string): string | undefined {
  if (id === '' || id.length > LONGEST_ID) return `must have 1 to ${LONGEST_ID} characters`;
  if (id.startsWith('-')) return 'must not begin with "-"';
  return /[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id)
    ? 'must have no white space or control characters'
    : undefined;
}
