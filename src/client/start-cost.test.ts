import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const room = path.dirname(fileURLToPath(import.meta.url));

/** Every file reached from here by imports that are still there at run time. */
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

it('loading the client loads no schemas, no YAML and no server', () => {
  const loaded = [...reached(path.join(room, 'index.ts'))];
  expect(loaded.filter((each) => /src\/wire\/(?!codes\.ts|places?\.ts)|src\/domain\//.test(each))).toEqual(
    [],
  );
  expect(loaded.filter((each) => !each.startsWith('/') && !each.startsWith('node:')).sort()).toEqual([
    'uuidv7',
  ]);
  expect(loaded).toContain('node:http');
});
