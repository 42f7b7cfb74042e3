import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

/** Every file and package reached from here by imports that are still there at run time. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, clause, target] of source.matchAll(/^(?:import|export)\s+([^;]*?)\s*from\s+'([^']+)';$/gms)) {
    if (/^type\b/.test(clause!)) continue;
    if (target!.startsWith('.')) reached(path.resolve(path.dirname(file), target!), found);
    else found.add(target!);
  }
  return found;
}

it('starting over standard input loads no database, no web server and no fleet', () => {
  const loaded = [...reached(path.join(import.meta.dirname, 'index.ts'))];
  const rooms = loaded.map((file) => /src\/(\w+)\//.exec(file)?.[1]).filter(Boolean);
  expect([...new Set(rooms)].sort()).toEqual(['base', 'domain', 'mail', 'mcp', 'wire']);
  const stores = loaded.filter(
    (file) => file.includes('src/mail/') && !/(transports?|binding|layout)\.ts$/.test(file),
  );
  expect(stores).toEqual([]);
  expect(loaded.filter((each) => /^(pg|hono|@hono|koffi|@electric-sql|@photostructure)/.test(each))).toEqual(
    [],
  );
  expect(loaded).toContain('@modelcontextprotocol/server/stdio');
});
