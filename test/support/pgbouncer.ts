import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { spawnDyingWithUs } from './dying-with-us.ts';
import type { TestPostgres } from './postgres.ts';

export interface TestPgbouncer {
  /** The same database, through the pooler. */
  urlOf(direct: string): string;
  /** Starts it again, after stop(). */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PgbouncerOptions {
  mode: 'transaction' | 'session';
  /** The number of its server connections for each database. */
  size?: number;
}

const PORT = 6432;
// Debian installs it where only root's PATH looks.
const PROGRAM = ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((file) => fs.existsSync(file));

/** A real PgBouncer in front of that server: own directory, own Unix socket, no TCP port. */
export async function startPgbouncer(
  server: TestPostgres,
  { mode, size = 4 }: PgbouncerOptions,
): Promise<TestPgbouncer> {
  if (!PROGRAM)
    throw new Error(
      'these tests need PgBouncer; install it with "apt-get install pgbouncer" (Debian, Ubuntu)',
    );
  const account = fs.statSync(server.directory);
  const directory = fs.mkdtempSync(path.join(server.directory, 'pgbouncer-'));
  const config = path.join(directory, 'pgbouncer.ini');
  fs.writeFileSync(
    config,
    `[databases]
* = host=${server.directory} user=rouse
[pgbouncer]
unix_socket_dir = ${directory}
listen_port = ${PORT}
auth_type = any
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 400
`,
  );
  for (const file of [directory, config]) fs.chownSync(file, account.uid, account.gid);
  let child = await running([PROGRAM, config], { cwd: directory, account });
  return {
    urlOf(direct) {
      const url = new URL(direct);
      url.port = `${PORT}`;
      url.searchParams.set('host', directory);
      return url.href;
    },
    async start() {
      child = await running([PROGRAM, config], { cwd: directory, account });
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      // The meaning of other signals differs between versions; there is no data to lose.
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function running(...command: Parameters<typeof spawnDyingWithUs>): Promise<ChildProcess> {
  const child = spawnDyingWithUs(...command);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`PgBouncer ended at its start:\n${said}`)));
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('process up')) resolve();
    });
  });
  return child;
}
