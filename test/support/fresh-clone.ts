import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');

/**
 * A clone of this project, including uncommitted changes, made from a repository beside it. Its
 * dependencies are linked from here, so nothing is downloaded.
 */
export function freshClone(clone: string): void {
  const origin = `${clone}.origin`;
  const listed = git(ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  for (const file of listed.split('\0').filter((name) => name && fs.existsSync(path.join(ROOT, name))))
    fs.cpSync(path.join(ROOT, file), path.join(origin, file));
  git(origin, 'init', '-q', '-b', 'main');
  git(origin, 'add', '-A');
  git(
    origin,
    '-c',
    'user.name=test',
    '-c',
    'user.email=test@localhost',
    'commit',
    '-q',
    '-m',
    'As it is now',
  );
  git(path.dirname(clone), 'clone', '-q', origin, clone);
  lendDependencies(clone);
}

/** Hard links: npm may clear the folder, and ours must stay. Files that tools keep there for themselves come and go. */
function lendDependencies(clone: string): void {
  const [ours, theirs] = [ROOT, clone].map((root) => path.join(root, 'node_modules')) as [string, string];
  const packages = fs.readdirSync(ours).filter((name) => /^(?!\.)|^\.(bin|package-lock\.json)$/.test(name));
  fs.mkdirSync(theirs);
  const links = spawnSync('cp', ['-al', ...packages, theirs], { cwd: ours }).status === 0;
  if (!links)
    for (const name of packages) {
      fs.rmSync(path.join(theirs, name), { recursive: true, force: true });
      fs.cpSync(path.join(ours, name), path.join(theirs, name), { recursive: true });
    }
  const stamp = path.join(theirs, '.rouse-setup');
  fs.rmSync(stamp, { force: true });
  const lock = fs.readFileSync(path.join(clone, 'package-lock.json'));
  fs.writeFileSync(stamp, createHash('sha256').update(lock).digest('hex'));
}

function git(cwd: string, ...args: string[]): string {
  const done = spawnSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (done.status !== 0) throw new Error(`git ${args[0]}: ${done.stderr}`);
  return done.stdout;
}
