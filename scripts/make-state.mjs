// `node scripts/make-state.mjs`: stores a state directory as this version leaves it if the machine stops during work, in
// test/upgrade/states/<version>.tar.gz. Made once for each release; every later version must open all of them.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { loadSource } from './load-source.mjs';
import { ensureBuild, root } from './setup.mjs';

const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const target = path.join(root, 'test', 'upgrade', 'states', `${version}.tar.gz`);
const place = mkdtempSync(path.join(tmpdir(), 'rouse-state-'));
const at = (...names) => path.join(place, ...names);
const program = path.join(root, 'bin', 'rouse');
const env = {
  PATH: process.env.PATH,
  LANG: 'C.UTF-8',
  TERM: 'xterm-256color',
  HOME: at('home'),
  ROUSE_HOME: at('state'),
  ROUSE_TMUX_SOCKET: at('tmux'),
};
const rouse = (words, input = '') =>
  execFileSync(program, words, {
    cwd: at('work'),
    env,
    input,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });

async function until(what, look) {
  for (let n = 0; n < 600; n++, await pause(200)) if (look()) return;
  throw new Error(`timeout while waiting for ${what}`);
}

async function agentsAndMail() {
  for (const name of ['ana', 'ben'])
    rouse(['launch', 'scripted', name, '--wake', '--', '--act-on-mail', '--turn', '200ms']);
  const send = (subject) =>
    rouse([
      'agents',
      'mail',
      'send',
      'ben',
      '--to',
      'ana@houmao.localhost',
      '--subject',
      subject,
      '--body-content',
      'please look',
    ]);
  send('handled');
  const box = (name) => rouse(['mail', 'list', '--address', 'ana@houmao.localhost', '--box', name]);
  await until('ana to handle her mail', () => box('archive').includes('handled'));
  const later = ['--title', 'later', '--mode', 'one_off', '--prompt', 'look again', '--after-all'];
  const durable = ['--durable', '--missed', 'once', '--start-after-seconds', '86400000'];
  rouse(['agents', 'gateway', 'reminders', 'create', 'ana', ...later, ...durable]);
  await endAsAPowerCutDoes();
  send('open');
}

/** Kills every process, without a signal that it could handle. */
async function endAsAPowerCutDoes() {
  const { environmentOf, runningPids } = await loadSource('src/base/system/index.ts');
  for (const pid of runningPids()) {
    try {
      if (environmentOf(pid).includes(`ROUSE_HOME=${at('state')}`)) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or belongs to another user.
    }
  }
  spawnSync('tmux', ['-S', at('tmux'), 'kill-server'], { stdio: 'ignore' });
}

function flatFile() {
  const mailbox = ['--mailbox', at('work', '.agent', 'inbox.md')];
  for (const id of ['first', 'second'])
    rouse(
      ['mailfile', 'prepend', ...mailbox],
      `---\nmsg-id: ${id}\nfrom: ana\nto: ben\nre: ${id}\n---\nplease look\n`,
    );
  rouse(['mailfile', 'archive', ...mailbox, '--msg-id', 'first']);
}

/** The fleet's database as its migrations and rows, because the files of an embedded one would be megabytes. */
async function fleet() {
  const server = spawn(program, ['server', 'start', '--port', '0', '--json'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => server.once('exit', resolve));
  const [line] = await new Promise((resolve) =>
    server.stdout.once('data', (data) => resolve(String(data).split('\n'))),
  );
  env.ROUSE_FLEET_URL = JSON.parse(line).url;
  rouse(['requests', 'create', '--to-anybody', '--title', 'Review the parser']);
  server.kill('SIGTERM');
  await ended;
  const { openEmbedded } = await loadSource('src/db/index.ts');
  const { FLEET_MIGRATIONS } = await loadSource('src/fleet/schema/index.ts');
  const sql = await openEmbedded({ directory: at('state', 'server', 'database') });
  const { rows: tables } = await sql.query(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename",
  );
  const rows = {};
  for (const { name } of tables) {
    const found = await sql.query(`SELECT coalesce(json_agg(t), '[]')::text AS rows FROM "${name}" t`);
    rows[name] = JSON.parse(found.rows[0].rows);
  }
  await sql.close();
  rmSync(at('state', 'server', 'database'), { recursive: true });
  rmSync(at('state', 'server', 'database.lock'), { force: true });
  writeFileSync(at('fleet.json'), JSON.stringify({ steps: FLEET_MIGRATIONS, rows }));
}

try {
  ensureBuild('--release');
  for (const names of [['home'], ['work', '.agent']]) mkdirSync(at(...names), { recursive: true });
  await agentsAndMail();
  flatFile();
  await fleet();
  writeFileSync(at('place.txt'), place);
  mkdirSync(path.dirname(target), { recursive: true });
  const left = ['--exclude=tmux', '--exclude=home', '--exclude=*-shm'];
  execFileSync('tar', ['-czf', target, ...left, '-C', place, '.']);
  console.log(`wrote ${path.relative(process.cwd(), target)}`);
} finally {
  await endAsAPowerCutDoes();
  rmSync(place, { recursive: true, force: true });
}
