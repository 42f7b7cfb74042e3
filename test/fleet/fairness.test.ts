import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as path from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetClient, readTokenFile } from '../../src/client/index.ts';
import { openEmbedded } from '../../src/db/index.ts';
import { serverFiles } from '../../src/fleet/index.ts';
import { type Answer, ask, asProgram } from '../attack/call.ts';
import { TEMPLATES } from '../support/fleet.ts';
import { sampled } from '../support/sample.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/**
 * Two orgs on one real server: lists, streams and connections of one delay at most a few calls of the other, never all, and
 * never keep it out.
 */
const BIN = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');
const CONNECTIONS = 48;
const FLOOD = 2 * CONNECTIONS;

const some = <T>(all: readonly T[], max: number): T[] => sampled(import.meta.filename, all, max);

const world = new TestWorld();
let server: ChildProcess;
let url = '';
let port = 0;
let agent: WorldAgent;
/** The hostile org: people, and an agent with its gateway on the server's host. */
const worst = { users: [] as string[], agent: '', workspace: '', session: '' };
let quiet = '';

beforeAll(async () => {
  await (
    await openEmbedded({ directory: serverFiles(world.home).database, templateDirectory: TEMPLATES })
  ).close();
  const { settings, env } = world.context;
  const limits = {
    ROUSE_MAX_REQUESTS_PER_SECOND: '100000',
    ROUSE_MAX_CONNECTIONS: String(CONNECTIONS),
    // Followers of A2A have their own limit; here connections are scarce.
    ROUSE_MAX_FOLLOWERS_PER_ORG: '1000',
    ROUSE_MAX_FOLLOWERS: '1000',
  };
  server = spawn(process.execPath, [BIN, '--print-json', 'server', 'start', '--port', '0'], {
    env: {
      ...env,
      ...limits,
      DATABASE_URL: '',
      HOUMAO_GLOBAL_RUNTIME_DIR: settings.runtimeDir,
      HOUMAO_GLOBAL_MAILBOX_DIR: settings.mailboxDir,
      HOUMAO_GLOBAL_REGISTRY_DIR: settings.registryDir,
      ROUSE_TMUX_SOCKET: settings.tmuxSocket,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = (await once(server.stdout!, 'data')) as [Buffer];
  const said = JSON.parse(String(line)) as { url: string; admin_token_file: string };
  url = said.url;
  port = Number(new URL(url).port);
  const root = new FleetClient({ url, token: readTokenFile(said.admin_token_file) });
  const person = async (org: string, subject: string) =>
    (await root.createToken({ kind: 'user', subject, org })).token;
  for (const name of ['worst', 'quiet']) await root.call('admin.orgs.create', { body: { name } });
  for (let n = 0; n < 4; n++) worst.users.push(await person('worst', `p${n}`));
  quiet = await person('quiet', 'q');
  const tokenFile = path.join(world.directory, 'launch-token');
  fs.writeFileSync(tokenFile, worst.users[0]!, { mode: 0o600 });
  world.fleet = { url, tokenFile };
  agent = await world.agent('ana', ['--turn', '20ms']);
  const fleet = path.join(agent.facts.root, 'fleet');
  worst.agent = fs.readFileSync(path.join(fleet, 'token'), 'utf8').trim();
  const registration = JSON.parse(fs.readFileSync(path.join(fleet, 'fleet.json'), 'utf8')) as {
    workspace_id: string;
    session_id: string;
  };
  worst.workspace = registration.workspace_id;
  worst.session = registration.session_id;
  await fill(url);
  await agent.control.send('busy', { ms: 600_000 });
  asked = (await agent.client.submitPrompt({ prompt: 'wait' })).request_id;
}, 120_000);

/** Rows that make lists long. */
async function fill(at: string): Promise<void> {
  const client = new FleetClient({ url: at, token: worst.users[0]! });
  const detail = '\u{1F600}'.repeat(20_000);
  for (let n = 0; n < 24; n++) {
    const body = { agent_id: `a${n}`, name: `a${n}`, session_id: 's', gateway: { x: 'x'.repeat(7000) } };
    await client.call('registry.register', { body });
    await client.call('requests.create', {
      body: { kind: 'task', recipient_type: 'user', title: `t${n}`, detail },
    });
  }
}

afterAll(async () => {
  await world.close().catch(() => {});
  server?.kill('SIGTERM');
  if (server?.exitCode === null) await once(server, 'exit');
}, 60_000);

const asQuiet = (at: string): Promise<Answer> => ask(asProgram({ port, method: 'GET', path: at }, quiet));

/** Lines and headers of a request; `length` bytes are promised and never sent. */
function bytesOf(method: string, at: string, token: string, { body = '', length = 0 } = {}): string {
  const lines = [
    `${method} ${at} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'X-Rouse: 1',
    'Accept: application/json, text/event-stream',
    // The server's response shows that it has read this far.
    ...(length > 0 ? ['Expect: 100-continue'] : []),
    `Content-Length: ${length || Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${length > 0 ? '{' : body}`;
}

/** Calls of the other org, each on its own connection, after this org has taken every place it can get. */
async function statusesWhile(bytes: (n: number) => string): Promise<number[]> {
  const sockets = new Set<net.Socket>();
  const open = async (n: number): Promise<void> => {
    const socket = net.connect(port, '127.0.0.1');
    sockets.add(socket.on('error', () => {}).on('data', () => {}));
    socket.on('close', () => sockets.delete(socket));
    const isOpen = once(socket, 'connect').then(() => socket.write(bytes(n)));
    await Promise.race([isOpen, once(socket, 'close')]).catch(() => {});
  };
  const statuses: number[] = [];
  try {
    for (const _ of SERVED) {
      for (let n = sockets.size; n < FLOOD; n++) await open(n);
      statuses.push((await asQuiet('/requests')).status);
    }
    return statuses;
  } finally {
    const closed = [...sockets].map((each) => once(each, 'close'));
    for (const socket of sockets) socket.destroy();
    await Promise.all(closed);
  }
}
const SERVED = Array.from({ length: 8 }, () => 200);

const user = (n: number): string => worst.users[n % worst.users.length]!;
const behind = '/houmao/agents/ana/gateway';
const rpc = (method: string, params: object): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const streamed = rpc('SendStreamingMessage', {
  message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] },
});

/** Responses that are held open as long as the caller likes, each with its own token. */
const HELD: [string, (n: number) => string][] = [
  ['events of requests', (n) => bytesOf('GET', '/requests/events', user(n))],
  [
    'watches of a mailbox',
    (n) => bytesOf('POST', '/mailbox/watch', user(n), { body: '{"version":"1:0","wait_seconds":25}' }),
  ],
  ['events of a gateway', (n) => bytesOf('GET', `${behind}/events`, user(n))],
  [
    'waits for a request of a gateway',
    (n) => bytesOf('GET', `${behind}/requests/${asked}?wait=600`, user(n)),
  ],
  ['streams of A2A', (n) => bytesOf('POST', `/a2a/${worst.workspace}`, user(n), { body: streamed })],
];
/** A request that nothing ends. */
let asked = '';

/** Bodies that never end. */
const ENDLESS: [string, () => [method: string, path: string, token: string]][] = [
  ['a heartbeat', () => ['POST', '/registry/heartbeat', worst.agent]],
  ['a new request', () => ['POST', '/requests', user(0)]],
  ['mail', () => ['POST', '/mailbox/send', user(0)]],
  ['a call of a tool', () => ['POST', '/mcp', user(0)]],
  ['a call of A2A', () => ['POST', `/a2a/${worst.workspace}`, user(0)]],
  ['a call that is carried to a gateway', () => ['POST', `${behind}/requests`, user(0)]],
  ['a registration', () => ['POST', '/registry/register', user(0)]],
];

describe('an org that holds as many connections as it can', () => {
  it.each(some(HELD, 1))(
    'an org that holds as many connections as it can by %s keeps no other org out',
    async (_, bytes) => {
      expect(await statusesWhile(bytes)).toEqual(SERVED);
    },
  );

  it.each(some(ENDLESS, 1))(
    'an org with a body that never ends, of %s, keeps no other org out',
    async (_, call) => {
      const bytes = bytesOf(...call(), { length: 1000 });
      expect(await statusesWhile(() => bytes)).toEqual(SERVED);
    },
  );

  it.each<[string, string]>([
    ['say nothing', ''],
    ['say half of a request', 'GET /requests HTTP/1.1\r\nHost: '],
    ['asked once and rest', 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'],
    [
      'guess tokens',
      `GET /requests HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer rouse_${'x'.repeat(43)}\r\n\r\n`,
    ],
  ])('an org with connections that %s keeps no other org out', async (_, bytes) => {
    expect(await statusesWhile(() => bytes)).toEqual(SERVED);
  });
});

const AT_ONCE = CONNECTIONS - 16;
const CALLS = 6;

/** Work that reads or sorts many rows, by every route that does it. */
const WORK: [string, () => [method: string, path: string, body?: object, token?: string]][] = [
  [
    'heartbeats',
    () => ['POST', '/registry/heartbeat', { session_id: worst.session, active_tasks: 0 }, worst.agent],
  ],
  ['lists of requests', () => ['GET', '/requests/pending?limit=200']],
  ['lists of requests, for their headers alone', () => ['HEAD', '/requests/pending?limit=200']],
  ['lists of agents', () => ['GET', '/registry/agents?limit=1000']],
  ['searches in mail', () => ['POST', '/mailbox/search', { text: 'x' }]],
  ['lists by a tool', () => ['POST', '/mcp', mcpCall('check_requests', {})]],
  [
    'lists of A2A',
    () => [
      'POST',
      `/a2a/${worst.workspace}`,
      JSON.parse(rpc('ListTasks', { pageSize: 100, historyLength: 1 })) as object,
    ],
  ],
  ['lists of the agents of the host', () => ['GET', '/houmao/agents']],
  ['looks at an agent of the host', () => ['GET', '/houmao/agents/ana/state']],
];
const mcpCall = (name: string, args: object) =>
  JSON.parse(rpc('tools/call', { name, arguments: args })) as object;

describe('an org that has as much done as it can', () => {
  it.each(some(WORK, 2))(
    'an org that has as much done as it can by %s delays another one by a few calls, never by all',
    async (_, call) => {
      const [method, at, body, token] = call();
      const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' };
      const calls = Array.from({ length: AT_ONCE }, (_, n) =>
        asProgram({ port, method, path: at, body, headers }, token ?? user(n)),
      );
      const shared = new SharedArrayBuffer(12);
      const counts = new Int32Array(shared);
      const flood = new Worker(new URL('./flood.mjs', import.meta.url), { workerData: { calls, shared } });
      const over = once(flood, 'exit');
      await expect.poll(() => Atomics.load(counts, 0), { timeout: 30_000 }).toBeGreaterThan(0);
      const before = Atomics.load(counts, 0);
      const statuses = new Set<number>();
      for (let n = 0; n < CALLS; n++) statuses.add((await asQuiet('/requests')).status);
      const duringTheLoad = Atomics.load(counts, 0) - before;
      Atomics.store(counts, 1, 1);
      expect(await over).toEqual([0]);
      expect([...statuses]).toEqual([200]);
      expect(Atomics.load(counts, 2)).toBe(0);
      expect(duringTheLoad / CALLS).toBeLessThan(AT_ONCE / 2);
    },
  );
});
