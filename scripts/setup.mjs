// What a fresh clone lacks: dependencies, tmux, a PostgreSQL server for the tests. Node's own modules only.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Runs a program with our output; ends this process with its code when it fails. */
export function run(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) {
    console.error(`cannot run ${program}: ${done.error.message}`);
    process.exit(1);
  }
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Installs dependencies when they are missing or the lockfile has changed since. */
export function ensureDependencies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    console.error(`Rouse needs Node 20.19 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  const lock = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const stamp = path.join(root, 'node_modules', '.rouse-setup');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.log('Installing dependencies (npm ci) …');
  run('npm', ['ci', '--no-fund', '--no-audit', '--loglevel=error']);
  writeFileSync(stamp, lock);
}

const onPath = (program) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((directory) => existsSync(path.join(directory, program)));

function postgresServer() {
  const debian = '/usr/lib/postgresql';
  return (
    onPath('postgres') ||
    (existsSync(debian) && readdirSync(debian).some((v) => existsSync(`${debian}/${v}/bin/postgres`)))
  );
}

const PROGRAMS = {
  tmux: { present: () => onPath('tmux'), debian: 'tmux', brew: 'tmux' },
  flock: { present: () => onPath('flock'), debian: 'util-linux', brew: 'flock' },
  postgres: { present: postgresServer, debian: 'postgresql', brew: 'postgresql@17' },
};

/** Installs programs from Debian's packages where that is possible without asking; otherwise says how. */
export function ensurePrograms(names) {
  const missing = names.filter((name) => !PROGRAMS[name].present());
  if (missing.length === 0) return;
  const packages = missing.map((name) => PROGRAMS[name].debian);
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    console.log(`Installing ${packages.join(', ')} (apt-get) …`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-qq'], { env });
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { env });
    return;
  }
  console.error(`Rouse needs ${missing.join(', ')}. Install with one of:`);
  console.error(`  sudo apt-get install ${packages.join(' ')}`);
  console.error(`  brew install ${missing.map((name) => PROGRAMS[name].brew).join(' ')}`);
  process.exit(1);
}

/** Builds dist/ in a process of its own, since the build needs the dependencies just installed. */
export function ensureBuild(...flags) {
  run(process.execPath, [path.join(root, 'scripts', 'build.mjs'), ...flags]);
}
