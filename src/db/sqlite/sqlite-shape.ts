import { internal } from '../../base/index.ts';

/** What a statement expects, read from its text, because the driver binds NULL for a missing parameter. */
export interface StatementShape {
  /** How many `?` values it takes. */
  positional: number;
  /** Names behind `:`, `@` or `$`, without the sign. */
  names: ReadonlySet<string>;
  /** It has a RETURNING clause and must be stepped to its end for the change to be complete. */
  returning: boolean;
}

const TOKENS =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[A-Za-z_][\w$]*|\d[\w.]*|[?:@$]\w*|;|\S/g;

/** Reads the shape. Refuses a second statement, which the driver would silently ignore. */
export function shapeOf(sql: string): StatementShape {
  const names = new Set<string>();
  let positional = 0;
  let returning = false;
  let ended = false;
  const isTrigger = /^\s*create\s+(temp\s+|temporary\s+)?trigger\b/i.test(sql);
  for (const [token] of sql.matchAll(TOKENS)) {
    if (token.startsWith('--') || token.startsWith('/*')) continue;
    if (token === ';') {
      ended = true;
      continue;
    }
    if (ended && !isTrigger) throw internal(`more than one statement in: ${sql}`, { hint: 'use exec()' });
    if (token.startsWith('?')) {
      positional = token.length > 1 ? Math.max(positional, Number(token.slice(1))) : positional + 1;
    } else if (/^[:@$]\w/.test(token)) names.add(token.slice(1));
    else if (token.toLowerCase() === 'returning') returning = true;
  }
  return { positional, names, returning };
}
