import * as fs from 'node:fs';
import * as https from 'node:https';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

const CERTIFICATES = path.join(import.meta.dirname, '../fleet/tls');

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.rouse(['server', 'stop']);
  await world.close();
});

const dashboard = (...args: string[]) => world.rouse(['--print-json', 'dashboard', ...args]);
const codeOf = (url: string): string => new URL(url).hash.slice('#code='.length);

async function login(url: string): Promise<Response> {
  const { origin } = new URL(url);
  return fetch(`${origin}/ui/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code: codeOf(url) }),
  });
}

it('without a server, the dashboard command says what starts one', async () => {
  const said = await dashboard('revoke');
  expect([said.code, said.json['error']?.hint]).toEqual([7, expect.stringContaining('rouse dashboard')]);
});

it.each([
  [['--link', '--as', 'mia', '--ttl', '3d'], '10m'],
  [['--link', '--as', 'mia', '--role', 'king'], 'view'],
])('%j is refused, and nothing is started', async (flags, named) => {
  const said = await dashboard(...flags);
  expect([said.code, JSON.stringify(said.json['error'] ?? said.stderr)]).toEqual([
    2,
    expect.stringContaining(named),
  ]);
  expect((await world.rouse(['--print-json', 'server', 'status'])).json['running']).toBe(false);
});

it('the dashboard command starts a server when none runs, and prints an address that works once', async () => {
  await world.rouse(['server', 'stop']);
  const said = await dashboard('--no-open');
  expect([said.code, said.stderr]).toEqual([0, '']);
  const { url, expires_at_utc } = said.json as Record<string, string>;
  expect(Date.parse(expires_at_utc!)).toBeGreaterThan(Date.now());
  const first = await login(url!);
  expect([first.status, await first.json()]).toEqual([200, expect.objectContaining({ role: 'operate' })]);
  expect((await login(url!)).status).toBe(401);
  expect((await dashboard('sessions')).json['sessions']).toHaveLength(1);
});

it('the dashboard command uses the running server, and prints links for others with fewer rights', async () => {
  const said = await dashboard('--link', '--role', 'view', '--as', 'mia', '--ttl', '10m');
  expect(await (await login(String(said.json['url']))).json()).toMatchObject({ name: 'mia', role: 'view' });
  const unused = await dashboard('--link', '--as', 'mia');
  expect((await dashboard('revoke', '--as', 'mia')).json).toEqual({ sessions: 1, codes: 1 });
  expect((await login(String(unused.json['url']))).status).toBe(401);
  const { entries } = (await dashboard('audit')).json as { entries: { action: string; name: string }[] };
  expect(entries.slice(0, 4).map(({ action }) => action)).toEqual(['revoke', 'code', 'login', 'code']);
  expect(entries.find(({ action }) => action === 'login')?.name).toBe('mia');
});

it('the dashboard ends with "server stop"', async () => {
  await dashboard('--no-open');
  expect((await world.rouse(['--print-json', 'server', 'stop'])).json['stopped']).toBe(true);
  expect((await dashboard('sessions')).code).toBe(7);
});

/** Like a browser that trusts the test's certificate authority. */
function loginOverTls(url: string): Promise<{ status: number | undefined; cookie: string }> {
  const { origin, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const request = https.request({
      ...{ host: '127.0.0.1', port, method: 'POST', path: '/ui/api/session', agent: false },
      ca: fs.readFileSync(path.join(CERTIFICATES, 'first-ca.pem')),
      headers: { 'content-type': 'application/json', origin },
    });
    request.on('response', (response) => {
      response.resume().on('error', reject);
      resolve({ status: response.statusCode, cookie: response.headers['set-cookie']?.[0] ?? '' });
    });
    request.on('error', reject);
    request.end(JSON.stringify({ code: codeOf(url) }));
  });
}

it('the dashboard of a server with TLS opens by https, and its links use the name that others know', async () => {
  const key = path.join(world.directory, 'fleet.key');
  fs.writeFileSync(key, fs.readFileSync(path.join(CERTIFICATES, 'first.key')), { mode: 0o600 });
  const tls = ['--tls-cert', path.join(CERTIFICATES, 'first.pem'), '--tls-key', key];
  const start = (...more: string[]) => {
    const ended = world.rouse(['server', 'start', '--port', '0', ...tls, ...more]);
    const running = world.until(
      async () => (await world.rouse(['--print-json', 'server', 'status'])).json['running'],
    );
    return { ended, running };
  };
  await world.rouse(['server', 'stop']);
  const first = start();
  await first.running;
  const { url } = (await dashboard('--no-open')).json as { url: string };
  expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/ui\/#code=/);
  expect(await loginOverTls(url)).toEqual({ status: 200, cookie: expect.stringContaining('; Secure') });
  expect((await dashboard('sessions')).json['sessions']).toHaveLength(1);
  await world.rouse(['server', 'stop']);
  await first.ended;
  const second = start('--public-url', 'https://fleet.example.org');
  await second.running;
  const link = (await dashboard('--link', '--as', 'mia')).json as { url: string };
  expect(link.url).toMatch(/^https:\/\/fleet\.example\.org\/ui\/#code=/);
  await world.rouse(['server', 'stop']);
  await second.ended;
});
