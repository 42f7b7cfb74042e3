import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPostgres, type Sql } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { freePort, isListening } from '../support/nginx.ts';
import { startPgbouncer, type TestPgbouncer } from '../support/pgbouncer.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { TestWorld } from '../support/test-world.ts';

/** A `rouse server start` that fails says why and leaves neither a process nor a listener. */
const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

let postgres: TestPostgres;
let pooler: TestPgbouncer;
let world: TestWorld;
let port: number;
let started: ChildProcess[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
  pooler = await startPgbouncer(postgres, { mode: 'transaction' });
});
afterAll(async () => {
  await pooler.stop();
  await postgres.stop();
});
beforeEach(async () => {
  world = new TestWorld();
  port = await freePort();
});
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  started = [];
  await world.close();
});

function start(databaseUrl: string, ...words: string[]): ChildProcess {
  const all = [BIN, '--print-json', 'server', 'start', '--port', String(port), ...words];
  const env = { ...world.context.env, ROUSE_FLEET_URL: '', DATABASE_URL: databaseUrl };
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

/** Resolves when it has ended by itself, with its exit code and output. */
async function failed(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const said = text(child.stderr!);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, said: await said };
}

async function serves(databaseUrl: string, ...words: string[]): Promise<ChildProcess> {
  const child = start(databaseUrl, ...words);
  const errors = text(child.stderr!);
  await Promise.race([
    once(child.stdout!, 'data'),
    once(child, 'exit').then(async () => Promise.reject(new Error(await errors))),
  ]);
  return child;
}

const stop = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM');
  await once(child, 'exit');
};

/** A database with the tables of a server, and the URL of a user with these grants who is not its owner. */
async function prepared(grants: string): Promise<{ admin: Sql; url: string; name: string }> {
  const owners = await postgres.createDatabase();
  await stop(await serves(owners));
  fs.rmSync(serverFiles(world.home).adminToken);
  const admin = await openPostgres({ url: owners });
  const { rows } = await admin.query<{ name: string }>('SELECT current_database() AS name');
  const user = `plain_${rows[0]!.name}`;
  await admin.exec(
    `CREATE ROLE "${user}" LOGIN; GRANT ${grants} ON ALL TABLES IN SCHEMA public TO "${user}"`,
  );
  const url = owners.replace(/\/\/[^@/]*@?/, `//${user}@`);
  return { admin, url, name: rows[0]!.name };
}

const REFUSING = {
  'an admin token that cannot be kept': async () => {
    fs.mkdirSync(path.join(serverFiles(world.home).adminToken, 'x'), { recursive: true });
    return postgres.createDatabase();
  },
  'a pipe where its admin token is kept': async () => {
    const { adminToken } = serverFiles(world.home);
    fs.mkdirSync(path.dirname(adminToken), { recursive: true });
    execFileSync('mkfifo', [adminToken]);
    return postgres.createDatabase();
  },
  'a database user who may only read': async () => {
    const { admin, url } = await prepared('SELECT');
    await admin.close();
    return url;
  },
  'a database that only takes reads': async () => {
    const { admin, url, name } = await prepared('SELECT, INSERT, UPDATE, DELETE');
    await admin.exec(`ALTER DATABASE "${name}" SET default_transaction_read_only = on`);
    await admin.close();
    return url;
  },
  'a pooler in transaction mode and no direct URL': async () => pooler.urlOf(await postgres.createDatabase()),
  'a database restored in half': async () => {
    const { admin, url } = await prepared('ALL');
    await admin.exec('DROP TABLE tokens CASCADE');
    await admin.close();
    return url;
  },
};

it('a start names the file that is in its way', async () => {
  const { said } = await failed(start(await REFUSING['an admin token that cannot be kept']()));
  expect(said).toContain(`${serverFiles(world.home).adminToken} is a directory`);
});

describe('a start with', () => {
  it.each(Object.entries(REFUSING))(
    'a start with %s ends, with a reason and nothing left behind',
    async (_, prepare) => {
      const url = await prepare();
      const { code, said } = await failed(start(url));
      expect([code, JSON.parse(said)]).toEqual([expect.any(Number), { error: expect.anything() }]);
      expect(code).not.toBe(0);
      expect(await isListening(port)).toBe(false);
      expect(fs.existsSync(serverFiles(world.home).instance)).toBe(false);
    },
  );

  it('a start succeeds on the same port and in the same home once the obstacle is gone', async () => {
    const url = await REFUSING['an admin token that cannot be kept']();
    await failed(start(url));
    fs.rmSync(serverFiles(world.home).adminToken, { recursive: true });
    await stop(await serves(url));
  });
});

describe('a server whose database stops taking writes', () => {
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/ready`)).status;

  it('a server whose database stops taking writes is not ready until it takes them again', async () => {
    const { admin, url, name } = await prepared('ALL');
    try {
      await serves(url);
      expect(await ready()).toBe(200);
      const role = `plain_${name}`;
      await admin.exec(`REVOKE INSERT ON requests FROM "${role}"`);
      expect(await ready()).toBe(503);
      await admin.exec(`GRANT INSERT ON requests TO "${role}"`);
      await expect.poll(ready, { timeout: 60_000 }).toBe(200);
      await admin.exec(`ALTER ROLE "${role}" SET default_transaction_read_only = on`);
      await admin.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
      await expect.poll(ready, { timeout: 60_000 }).toBe(503);
    } finally {
      await admin.close();
    }
  });

  it('the readiness of a server is checked without a write', async () => {
    const { admin, url } = await prepared('ALL');
    try {
      await serves(url);
      expect(await ready()).toBe(200);
      const next = async () =>
        (await admin.query<{ id: string }>('SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS id'))
          .rows[0]!.id;
      const before = await next();
      for (let n = 0; n < 20; n++) expect(await ready()).toBe(200);
      // Sweepers may write too, but twenty probes that write would still show.
      expect(Number(await next()) - Number(before)).toBeLessThan(20);
    } finally {
      await admin.close();
    }
  });
});
