import * as fs from 'node:fs';
import * as path from 'node:path';
import { allFields } from '../../src/cli/access-page.ts';
import type { Tries } from './tries.ts';

/** Written for other programs, and never read by Rouse. */
const FOR_OTHERS = /\/(launch\/mcp\.json|launch\/status\.json|houmao_servers\/.*)$/;
const NAMES_SOMETHING = /^(\/|\.{1,2}\/|~\/|[a-z][a-z0-9+.-]*:\/\/)/i;

interface Found {
  file: string;
  field: string;
}

/** Every text in a JSON file of Rouse that is a path or a URL must be in a field that docs/access.md lists. */
export function namedFiles(directories: readonly string[], tries: Tries, kind: string): void {
  const listed = allFields().filter(({ of }) => of === 'file');
  for (const { file, field } of directories.flatMap(found)) {
    const known = listed.some((row) => isAt(file, row.place) && covers(fieldOf(row), field));
    tries.add(kind, !known && `${file}: ${field} is not on the list`);
  }
}

/** `mailbox, links/{address}/link.json` is a file of the mailbox; `manifest.json, launch_plan.mailbox` a part of a file. */
function isAt(file: string, place: string): boolean {
  const [first, second] = place.split(', ') as [string, string?];
  const pattern = second?.includes('/') ? second : first;
  const words = pattern.split(/\{\w+\}/).map((word) => word.replaceAll('.', '\\.'));
  return new RegExp(`/${words.join('[^/]+')}$`).test(file);
}

const covers = (listed: string, field: string): boolean =>
  listed.endsWith('.*') ? field.startsWith(listed.slice(0, -1)) : listed === field;

function fieldOf({ place, field }: { place: string; field: string }): string {
  const part = place.split(', ')[1];
  return part && !part.includes('/') ? `${part}.${field}` : field;
}

function found(directory: string): Found[] {
  const names = fs.readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.json') && !/(^|\/)database\//.test(name))
    .map((name) => path.join(directory, name))
    .filter((file) => !FOR_OTHERS.test(file))
    .flatMap((file) => {
      const fields = new Set(textsOf(JSON.parse(fs.readFileSync(file, 'utf8')), ''));
      // Our own fields of a file are in a file beside it.
      return [...fields].map((field) => ({ file: file.replace(/\.rouse\.json$/, '.json'), field }));
    });
}

function textsOf(value: unknown, at: string): string[] {
  if (typeof value === 'string') return NAMES_SOMETHING.test(value) ? [at] : [];
  if (Array.isArray(value)) return value.flatMap((each) => textsOf(each, `${at}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => textsOf(each, at ? `${at}.${name}` : name));
}
