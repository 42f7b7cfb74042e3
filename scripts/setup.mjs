// Installs what a fresh clone lacks: dependencies, tmux, and for the tests PostgreSQL and its pooler, a browser, a proxy and
// other shells. Only Node's own modules.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

/** Prints on standard error, because standard output belongs to the program itself. */
const say = (text) => process.stderr.write(`${text}\n`);
const ON_STDERR = { stdio: ['inherit', 2, 2] };

/** Runs a program with our output; ends this process with its code if it fails. */
export function run(program, args, options = {}) {
  const done = spawnSync(program, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) {
    say(`cannot run ${program}: ${done.error.message}`);
    process.exit(1);
  }
  if (done.status !== 0) process.exit(done.status ?? 1);
}

const stamp = path.join(root, 'node_modules', '.rouse-setup');

const lockDigest = () =>
  createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');

/** The dependencies are those of the lockfile as it is now. */
export const rememberDependencies = () => writeFileSync(stamp, lockDigest());

/** Installs dependencies if they are missing or the lockfile has changed. */
export function ensureDependencies() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    say(`Rouse needs Node 20.19 or newer; this is ${process.version}.`);
    process.exit(1);
  }
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lockDigest()) return;
  say('Installing dependencies (npm ci) …');
  // npm passes its settings on, but those of a global installation must not apply to this folder.
  const here = [
    '--global=false',
    '--location=project',
    '--include=dev',
    '--json=false',
    '--no-fund',
    '--no-audit',
  ];
  const env = { ...process.env, ROUSE_PREPARING: '1' };
  run('npm', ['ci', ...here, '--loglevel=error'], { ...ON_STDERR, env });
  rememberDependencies();
}

const onPath = (program) =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .some((directory) => existsSync(path.join(directory, program)));

const chromium = () => Boolean(process.env.ROUSE_TEST_CHROMIUM) || onPath('chromium');

// Debian installs it outside the PATH of other users than root.
const nginx = () => onPath('nginx') || existsSync('/usr/sbin/nginx');
const pgbouncer = () => onPath('pgbouncer') || existsSync('/usr/sbin/pgbouncer');

function postgresServer() {
  const debian = '/usr/lib/postgresql';
  return (
    onPath('postgres') ||
    (existsSync(debian) && readdirSync(debian).some((v) => existsSync(`${debian}/${v}/bin/postgres`)))
  );
}

const smtpServer = () => existsSync('/usr/lib/python3/dist-packages/aiosmtpd');

const PROGRAMS = {
  tmux: { present: () => onPath('tmux'), debian: 'tmux', brew: 'tmux' },
  flock: { present: () => onPath('flock'), debian: 'util-linux', brew: 'flock' },
  zsh: { present: () => onPath('zsh'), debian: 'zsh', brew: 'zsh' },
  fish: { present: () => onPath('fish'), debian: 'fish', brew: 'fish' },
  chromium: { present: chromium, debian: 'chromium', brew: '--cask chromium' },
  nginx: { present: nginx, debian: 'nginx-light', brew: 'nginx' },
  pgbouncer: { present: pgbouncer, debian: 'pgbouncer', brew: 'pgbouncer' },
  promtool: { present: () => onPath('promtool'), debian: 'prometheus', brew: 'prometheus' },
  dunst: { present: () => onPath('dunst'), debian: 'dunst', brew: 'dunst' },
  xvfb: { present: () => onPath('Xvfb'), debian: 'xvfb', brew: 'xquartz' },
  gdbus: { present: () => onPath('gdbus'), debian: 'libglib2.0-bin', brew: 'glib' },
  'notify-send': { present: () => onPath('notify-send'), debian: 'libnotify-bin', brew: 'libnotify' },
  aiosmtpd: { present: smtpServer, debian: 'python3-aiosmtpd', brew: 'aiosmtpd' },
  postgres: { present: postgresServer, debian: 'postgresql', brew: 'postgresql@17' },
};

/** Installs programs from Debian's packages if that is possible without asking; otherwise prints how. */
export function ensurePrograms(names) {
  const missing = names.filter((name) => !PROGRAMS[name].present());
  if (missing.length === 0) return;
  const packages = missing.map((name) => PROGRAMS[name].debian);
  if (process.getuid?.() === 0 && onPath('apt-get')) {
    say(`Installing ${packages.join(', ')} (apt-get) …`);
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    run('apt-get', ['update', '-qq'], { ...ON_STDERR, env });
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], { ...ON_STDERR, env });
    return;
  }
  say(`Rouse needs ${missing.join(', ')}. Install with one of:`);
  say(`  sudo apt-get install ${packages.join(' ')}`);
  say(`  brew install ${missing.map((name) => PROGRAMS[name].brew).join(' ')}`);
  process.exit(1);
}

/** Builds dist/ in a separate process, because the build needs the dependencies that were just installed. */
export function ensureBuild(...flags) {
  if (!existsSync(path.join(root, 'dist'))) say('Building (once) …');
  run(process.execPath, [path.join(root, 'scripts', 'build.mjs'), ...flags], ON_STDERR);
}
