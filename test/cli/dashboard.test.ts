import { afterAll, beforeAll, expect, it } from 'vitest';
import { SessionHouse } from '../session/support/house.ts';

let house: SessionHouse;
beforeAll(() => {
  house = new SessionHouse();
});
afterAll(async () => {
  await house.rouse(['server', 'stop']);
  house.close();
});

const dashboard = (...args: string[]) => house.rouse(['--print-json', 'dashboard', ...args]);
const codeOf = (url: string): string => new URL(url).hash.slice('#code='.length);

async function login(url: string): Promise<Response> {
  const { origin } = new URL(url);
  return fetch(`${origin}/ui/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ code: codeOf(url) }),
  });
}

it('says of a page that nobody has started what starts it', async () => {
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
  expect((await house.rouse(['--print-json', 'server', 'status'])).json['running']).toBe(false);
});

it('starts a server for the page when none runs, and prints an address that is good once', async () => {
  const said = await dashboard('--no-open');
  expect([said.code, said.stderr]).toEqual([0, '']);
  const { url, expires_at_utc } = said.json as Record<string, string>;
  expect(Date.parse(expires_at_utc!)).toBeGreaterThan(Date.now());
  const first = await login(url!);
  expect([first.status, await first.json()]).toEqual([200, expect.objectContaining({ role: 'operate' })]);
  expect((await login(url!)).status).toBe(401);
  expect((await dashboard('sessions')).json['sessions']).toHaveLength(1);
});

it('uses the server that runs, and prints links for others, with less rights', async () => {
  const said = await dashboard('--link', '--role', 'view', '--as', 'mia', '--ttl', '10m');
  expect(await (await login(String(said.json['url']))).json()).toMatchObject({ name: 'mia', role: 'view' });
  const unused = await dashboard('--link', '--as', 'mia');
  expect((await dashboard('revoke', '--as', 'mia')).json).toEqual({ sessions: 1, codes: 1 });
  expect((await login(String(unused.json['url']))).status).toBe(401);
  const { entries } = (await dashboard('audit')).json as { entries: { action: string; name: string }[] };
  expect(entries.map(({ action }) => action)).toEqual(['revoke', 'code', 'login', 'code', 'login', 'code']);
  expect(entries.find(({ action }) => action === 'login')?.name).toBe('mia');
});

it('ends with "server stop"', async () => {
  expect((await house.rouse(['--print-json', 'server', 'stop'])).json['stopped']).toBe(true);
  expect((await dashboard('sessions')).code).toBe(7);
});
