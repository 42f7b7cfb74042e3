import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { expect, it } from 'vitest';

const ROOM = import.meta.dirname;

/** Every file and package reached from here by imports that are still there at run time. */
function reached(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, clause, target] of source.matchAll(/^(?:import|export)\s+([^;]*?)\s*from\s+'([^']+)';$/gms)) {
    const names = clause!
      .replace(/[{}]/g, '')
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean);
    if (/^type\b/.test(clause!) || names.every((name) => name.startsWith('type '))) continue;
    if (target!.startsWith('.')) reached(path.resolve(path.dirname(file), target!), found);
    else found.add(target!);
  }
  return found;
}

it('asking for a status loads no schemas, no database, no mailbox and no screens', () => {
  const loaded = [...reached(path.join(ROOM, 'index.ts'))];
  const rooms = loaded.map((file) => /src\/(\w+)\//.exec(file)?.[1]).filter(Boolean);
  expect([...new Set(rooms)].sort()).toEqual(['base', 'client', 'domain', 'mail', 'session', 'tmux', 'wire']);
  const mail = loaded.filter((file) => file.includes('src/mail/')).map((file) => path.basename(file));
  expect(mail).toEqual(['inbox-count.ts']);
  const wire = loaded.filter((file) => file.includes('src/wire/')).map((file) => path.basename(file));
  expect(wire.sort()).toEqual(['codes.ts', 'host-files.ts', 'place.ts', 'places.ts', 'session-files.ts']);
  const heavy = /^(zod|hono|@hono|yaml|pg|koffi|@photostructure|@electric-sql|@xterm|commander)/;
  expect(loaded.filter((each) => heavy.test(each))).toEqual([]);
});
