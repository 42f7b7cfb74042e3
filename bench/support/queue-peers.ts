import { spawn, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Ending, messageOf } from '../../src/base/index.ts';
import { startPostgres } from '../../test/support/postgres.ts';
import type { Contender } from './rounds.ts';

// biome-ignore lint/suspicious/noExplicitAny: other people's modules, loaded from a place of their own
type Any = any;

/** Maximum number of connections of a peer, as its own documentation advises for one process. */
const POOL = 16;

/** The other queues that can run here; the others are printed with the reason. */
export async function queuePeers(
  directory: string,
  payload: object,
  { print, ending }: { print: (line: string) => void; ending: Ending },
): Promise<Contender[]> {
  const load = peerModules(print);
  if (!load) return [];
  const found: Contender[] = [];
  const attempt = async (name: string, open: () => Promise<Contender>): Promise<void> => {
    try {
      found.push(await open());
    } catch (error) {
      print(`  ${name}: cannot run here: ${messageOf(error).split('\n')[0]}`);
    }
  };
  await attempt('plainjob', () => plainjob(load, directory, { payload, ending }));
  let url = '';
  await attempt('PostgreSQL for graphile-worker and pg-boss', async () => {
    const server = await startPostgres({ fsync: true });
    ending.add(() => server.stop());
    url = server.url;
    return postgresInsert(load, url, payload, ending);
  });
  if (url) {
    await attempt('graphile-worker', () => graphile(load, url, payload, ending));
    await attempt('pg-boss', () => pgBoss(load, url, payload, ending));
  }
  await attempt('bullmq', () => bullmq(load, directory, { payload, ending }));
  return found;
}

/** Loads their modules, which are installed outside the project. */
export function peerModules(print: (line: string) => void): ((name: string) => Promise<Any>) | undefined {
  const place = path.join(process.env['ROUSE_ROOT']!, 'bench', 'peers');
  const { dependencies } = JSON.parse(fs.readFileSync(path.join(place, 'package.json'), 'utf8')) as Any;
  if (Object.keys(dependencies).some((name) => !fs.existsSync(path.join(place, 'node_modules', name)))) {
    print('installing bench/peers (several minutes where better-sqlite3 must be compiled)');
    // Not "npm ci", which refuses a lockfile from another platform because of optional binaries.
    const words = ['install', '--no-save', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', words, { cwd: place, stdio: 'ignore' });
    if (status !== 0) {
      print('  the peers could not be installed (no registry?); ours is measured alone');
      return undefined;
    }
  }
  const { resolve } = createRequire(path.join(place, 'package.json'));
  return (name) => import(pathToFileURL(resolve(name)).href);
}

export type Load = (name: string) => Promise<Any>;

async function plainjob(
  load: Load,
  directory: string,
  { payload, ending }: { payload: object; ending: Ending },
): Promise<Contender> {
  const { better, defineQueue } = await load('plainjob');
  const { default: Database } = await load('better-sqlite3');
  const db = new Database(path.join(directory, 'plainjob.sqlite'));
  const quiet = { error() {}, warn() {}, info() {}, debug() {} };
  const queue = defineQueue({ connection: better(db), logger: quiet });
  // Its default is NORMAL, with which a power failure can undo commits.
  db.pragma('synchronous = FULL');
  ending.add(() => queue.close());
  return { name: 'plainjob (better-sqlite3, synchronous=FULL)', op: () => queue.add('prompt', payload) };
}

async function postgresInsert(load: Load, url: string, payload: object, ending: Ending): Promise<Contender> {
  const { default: pg } = await load('pg');
  const pool = new pg.Pool({ connectionString: url, max: POOL }).on('error', () => {});
  ending.add(() => pool.end());
  await pool.query('CREATE TABLE plain (id bigserial PRIMARY KEY, payload jsonb NOT NULL)');
  return {
    name: 'bare INSERT into PostgreSQL',
    op: () => pool.query('INSERT INTO plain (payload) VALUES ($1)', [JSON.stringify(payload)]),
  };
}

async function graphile(load: Load, url: string, payload: object, ending: Ending): Promise<Contender> {
  const { Logger, makeWorkerUtils } = await load('graphile-worker');
  const { default: pg } = await load('pg');
  const pgPool = new pg.Pool({ connectionString: url, max: POOL }).on('error', () => {});
  ending.add(() => pgPool.end());
  const utils = await makeWorkerUtils({ pgPool, logger: new Logger(() => () => {}) });
  ending.add(() => utils.release());
  await utils.migrate();
  return { name: 'graphile-worker', op: () => utils.addJob('prompt', payload) };
}

async function pgBoss(load: Load, url: string, payload: object, ending: Ending): Promise<Contender> {
  const { default: PgBoss } = await load('pg-boss');
  const boss = new PgBoss({ connectionString: url, max: POOL, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  ending.add(() => boss.stop({ graceful: false, wait: true, close: true }));
  await boss.createQueue('prompts');
  return { name: 'pg-boss', op: () => boss.send('prompts', payload) };
}

async function bullmq(
  load: Load,
  directory: string,
  { payload, ending }: { payload: object; ending: Ending },
): Promise<Contender> {
  if (spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).error)
    throw new Error('there is no redis-server on this machine (apt-get install redis-server)');
  const socket = path.join(directory, 'redis.sock');
  const settings = {
    port: '0',
    unixsocket: socket,
    dir: directory,
    appendonly: 'yes',
    appendfsync: 'always',
  };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const server = spawn('redis-server', words, { stdio: 'ignore' });
  ending.add(() => server.kill());
  const { Queue } = await load('bullmq');
  const queue = new Queue('prompts', { connection: { path: socket, maxRetriesPerRequest: null } });
  await queue.waitUntilReady();
  ending.add(() => queue.close());
  return { name: 'bullmq (redis, appendfsync always)', op: () => queue.add('prompt', payload) };
}
