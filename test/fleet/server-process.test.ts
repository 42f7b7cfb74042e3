import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { ownDevice } from '../support/device.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { TestWorld } from '../support/test-world.ts';

/** `rouse server` as a process of its own, as people run it. */
const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const WAIT = { timeout: 60_000, interval: 100 };

let world: TestWorld;
let started: ChildProcess[] = [];
beforeEach(async () => {
  world = new TestWorld();
  const { database } = serverFiles(world.home);
  await (await openEmbedded({ directory: database, templateDirectory: TEMPLATES })).close();
});
afterEach(async () => {
  await world.close();
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  started = [];
});

const env = (): NodeJS.ProcessEnv => ({ ...world.context.env, ROUSE_FLEET_URL: '', DATABASE_URL: '' });

interface Server {
  child: ChildProcess;
  url: string;
  admin: FleetClient;
}

async function startServer(port = 0): Promise<Server> {
  const child = spawn(process.execPath, [BIN, 'server', 'start', '--port', String(port), '--print-json'], {
    env: env(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let errors = '';
  child.stderr!.on('data', (part) => {
    errors += part;
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout!.once('data', (part) => resolve(String(part)));
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${errors}`)));
  });
  const { url, admin_token_file } = JSON.parse(line) as { url: string; admin_token_file: string };
  return { child, url, admin: new FleetClient({ url, token: readTokenFile(admin_token_file) }) };
}

async function kill({ child }: Server, signal: NodeJS.Signals): Promise<number | null> {
  child.kill(signal);
  await once(child, 'exit');
  return child.exitCode;
}

function rouse(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env: env() }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

describe('rouse server', () => {
  it('rouse server makes an admin token at its first start, is found by its home, and ends well when asked', async () => {
    const server = await startServer();
    const files = serverFiles(world.home);
    expect(fs.statSync(files.adminToken).mode & 0o777).toBe(0o600);
    expect((await server.admin.call('admin.orgs.list', {})).orgs.map(({ name }) => name)).toEqual([
      'default',
    ]);
    const status = await rouse('server', 'status', '--print-json');
    expect([status.code, JSON.parse(status.out)]).toMatchObject([
      0,
      { running: true, ready: true, database: 'embedded' },
    ]);
    const second = await rouse('server', 'start', '--port', '0');
    expect([second.code, second.err]).toEqual([4, expect.stringContaining('is already running')]);
    expect((await rouse('server', 'stop')).code).toBe(0);
    await expect.poll(() => server.child.exitCode, WAIT).toBe(0);
    expect(fs.existsSync(files.instance)).toBe(false);
    expect((await rouse('server', 'status')).code).toBe(7);
  });

  it('rouse server goes on when what it prints cannot be written', async () => {
    const full = fs.openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [BIN, 'server', 'start', '--port', '0'], {
      env: env(),
      stdio: ['ignore', full, 'ignore'],
    });
    fs.closeSync(full);
    started.push(child);
    await expect.poll(() => rouse('server', 'status').then(({ code }) => code), WAIT).toBe(0);
    expect(child.exitCode).toBeNull();
    expect((await rouse('server', 'stop')).code).toBe(0);
    await expect.poll(() => child.exitCode, WAIT).toBe(0);
  });

  it('a server killed with kill -9 is not taken for running, and its token works for the next one', async () => {
    const first = await startServer();
    const token = readTokenFile(serverFiles(world.home).adminToken);
    await kill(first, 'SIGKILL');
    expect((await rouse('server', 'status')).code).toBe(7);
    const second = await startServer();
    expect(readTokenFile(serverFiles(world.home).adminToken)).toBe(token);
    expect((await second.admin.call('admin.tokens.list', {})).tokens).toHaveLength(1);
    expect(await kill(second, 'SIGTERM')).toBe(0);
  });

  it('a server killed between storing a request and its delivery, and started again, delivers it once', async () => {
    let server = await startServer();
    const port = Number(new URL(server.url).port);
    world.fleet = { url: server.url, tokenFile: serverFiles(world.home).adminToken };
    const agent = await world.agent('ana', ['--turn', '50ms']);
    await expect.poll(async () => (await server.admin.agent('ana')).status, WAIT).toBe('online');
    await kill(server, 'SIGKILL');
    const fleetState = async (): Promise<string | undefined> => (await agent.client.status()).fleet?.state;
    await expect.poll(fleetState, WAIT).toBe('away');
    server = await startServer(port);
    await expect.poll(fleetState, WAIT).toBe('connected');
    const request = { kind: 'task', recipient_type: 'agent', recipient_id: 'ana', title: 'Look at this' };
    await server.admin.request('POST', '/requests', request);
    await kill(server, 'SIGKILL');
    server = await startServer(port);
    await expect.poll(() => agent.received().length, WAIT).toBe(1);
    await expect.poll(fleetState, WAIT).toBe('connected');
    // An idle beat after the delivery, so that anything the server still had to send has arrived.
    await expect.poll(async () => (await server.admin.agent('ana')).queue_depth, WAIT).toBe(0);
    await expect.poll(async () => (await server.admin.agent('ana')).active_tasks, WAIT).toBe(0);
    expect(agent.received()).toHaveLength(1);
    expect(agent.received()[0]).not.toContain('Look at this');
  });
});

describe('rouse tokens and rouse fleet', () => {
  it('rouse tokens and rouse fleet do what they say, with the right exit codes', async () => {
    const { url } = await startServer();
    const flags = ['--fleet-url', url, '--fleet-token-file', serverFiles(world.home).adminToken];
    const run = (...args: string[]) => rouse(...args, ...flags, '--print-json');
    const file = path.join(world.directory, 'ana-token');
    const made = await run(
      'tokens',
      'create',
      '--kind',
      'user',
      '--subject',
      'ana',
      '--expires-in',
      '1d',
      '--out-file',
      file,
    );
    expect(made.code).toBe(0);
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(made.out).not.toContain(readTokenFile(file));
    const device = ownDevice(path.dirname(file), 'device');
    const create = (to: string) =>
      run('tokens', 'create', '--kind', 'user', '--subject', 'dev', '--out-file', to);
    expect((await create(device)).code).toBe(0);
    expect([fs.lstatSync(device).isCharacterDevice(), fs.lstatSync(device).mode & 0o777]).toEqual([
      true,
      0o666,
    ]);
    const tokens = (await run('tokens', 'list')).out;
    const unread = path.join(path.dirname(file), 'pipe');
    execFileSync('mkfifo', [unread]);
    for (const to of [path.join(path.dirname(file), 'no', 'such'), unread])
      expect(await create(to)).toMatchObject({ code: 2 });
    expect((await run('tokens', 'list')).out).toBe(tokens);
    const user = ['--fleet-url', url, '--fleet-token-file', file, '--print-json'];
    expect((await rouse('tokens', 'list', ...user)).code).toBe(8);
    expect(JSON.parse((await rouse('fleet', 'list', ...user)).out)).toEqual({
      agents: [],
      next_cursor: null,
      truncated: false,
    });
    expect((await run('fleet', 'show', 'unknown')).code).toBe(3);
    expect((await run('tokens', 'create', '--kind', 'admin')).code).toBe(2);
    expect((await run('fleet', 'orgs', '--create', 'research')).code).toBe(0);
    expect(
      (await run('tokens', 'create', '--kind', 'admin', '--subject', 'x', '--org', 'nowhere')).code,
    ).toBe(3);
    const { token_id } = JSON.parse(made.out) as { token_id: string };
    expect((await run('tokens', 'revoke', token_id)).code).toBe(0);
    expect((await rouse('fleet', 'list', ...user)).code).toBe(8);
    expect(
      (await rouse('fleet', 'list', '--fleet-url', 'http://127.0.0.1:1', '--fleet-token-file', file)).code,
    ).toBe(7);
    expect((await rouse('fleet', 'list', '--fleet-url', 'ftp://x', '--fleet-token-file', file)).code).toBe(2);
  });
});
