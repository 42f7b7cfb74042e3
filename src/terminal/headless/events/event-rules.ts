import type { EventKind, EventRule } from '../../../tools/index.ts';

export interface Understood {
  kind: EventKind;
  message: string;
}

/** The events of one line, in order; empty when no rule knows it. */
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
export function at(value: unknown, path: string): unknown {
  let here: unknown = value;
  for (const name of path.split('.')) {
    if (here === null || typeof here !== 'object' || !Object.hasOwn(here, name)) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}

export function holds(value: unknown, when: Record<string, string>): boolean {
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
