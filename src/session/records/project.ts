import * as fs from 'node:fs';
import * as path from 'node:path';
import { readIfExists } from '../../base/index.ts';
import { PROJECT_FILE, type Project, projectName } from '../../domain/index.ts';
import type { ManifestFacts } from './manifest-facts.ts';

/** The project of a directory: the nearest one with a project's file, else the root of its Git tree, else itself. */
export function findProject(directory: string): Project {
  const real = realOf(directory);
  const found = nearestWith(PROJECT_FILE, real) ?? nearestWith('.git', real) ?? real;
  return { name: projectName(found), directory: found };
}

/** As recorded when the agent was launched or joined; for one of an older version, the project of where it works. */
export function projectOf(facts: Pick<ManifestFacts, 'project' | 'workingDirectory'>): Project {
  return facts.project ?? findProject(facts.workingDirectory);
}

/** The branch that is checked out there; the start of the commit if none is; null outside of Git. */
export function branchOf(directory: string): string | null {
  const root = nearestWith('.git', directory);
  if (root === undefined) return null;
  try {
    const head = readIfExists(path.join(gitDirectory(path.join(root, '.git')), 'HEAD'))?.trim();
    if (!head) return null;
    return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 10);
  } catch {
    return null;
  }
}

/** In a linked worktree, `.git` is a file that names its directory. */
function gitDirectory(at: string): string {
  if (fs.statSync(at).isDirectory()) return at;
  const named = /^gitdir: (.+)$/m.exec(fs.readFileSync(at, 'utf8'))?.[1] ?? '.';
  return path.resolve(path.dirname(at), named);
}

function nearestWith(name: string, from: string): string | undefined {
  for (let at = from; ; at = path.dirname(at)) {
    if (fs.existsSync(path.join(at, name))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

function realOf(directory: string): string {
  try {
    return fs.realpathSync(directory);
  } catch {
    return path.resolve(directory);
  }
}
