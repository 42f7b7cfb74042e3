import * as fs from 'node:fs';
import * as path from 'node:path';
import type { TestWorld } from '../../support/test-world.ts';

/** Where other users, or other programs of this user, could read it: arguments, tmux, files of Rouse. */
export function findSecret(secret: string, world: TestWorld): string[] {
  const places = [
    ...argumentLists(),
    ...['-g', ...world.tmux('list-sessions', '-F', '-t=#{session_name}').split('\n')].map((which) => ({
      place: `tmux environment ${which}`,
      text: world.tmux('show-environment', which),
    })),
    ...filesBelow(path.join(world.directory, 'home')),
  ];
  return places.filter(({ text }) => text.includes(secret)).map(({ place }) => place);
}

interface Place {
  place: string;
  text: string;
}

function argumentLists(): Place[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ place: `arguments of ${pid}`, text: read(`/proc/${pid}/cmdline`) }));
}

function filesBelow(directory: string): Place[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => ({ place: file, text: read(file) }));
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
