import { readFileSync } from 'node:fs';
import * as path from 'node:path';

/** Every file and package that this file reaches by imports that exist at run time. */
export function reachedFiles(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  const source = readFileSync(file, 'utf8');
  for (const [, clause, target] of source.matchAll(/^(?:import|export)\s+([^;]*?)\s*from\s+'([^']+)';$/gms)) {
    if (/^type\b/.test(clause!)) continue;
    if (target!.startsWith('.')) reachedFiles(path.resolve(path.dirname(file), target!), found);
    else found.add(target!);
  }
  return found;
}
