import * as http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../src/base/index.ts';
import type { FleetClient } from '../../src/client/index.ts';
import { startServer } from '../../src/fleet/index.ts';
import { FLEET_ROUTES, type Route } from '../../src/wire/index.ts';
import { startFleet, TEMPLATES, type TestAgent, type TestFleet } from '../support/fleet.ts';

/** What each caller is refused. A refusal changes nothing. */
let fleet: TestFleet;
let ana: TestAgent;
let foreign: { orgId: string; user: FleetClient; admin: FleetClient };
let stranger: TestAgent;
beforeAll(async () => {
  fleet = await startFleet();
  ana = await fleet.agent('ana');
  foreign = await fleet.tenant('elsewhere');
  stranger = await fleet.agent('stranger', { orgId: foreign.orgId });
});
afterAll(() => fleet.stop());

const NOBODY_NEEDED = ['/health', '/ready', '/metrics'];
/** All routes that need no token. */
const open = ({ path }: Route): boolean =>
  NOBODY_NEEDED.includes(path) || path.startsWith('/houmao/') || path.includes('.well-known');
const pathOf = (route: Route): string =>
  route.path.replace(/\{\w+\}/g, '00000000-0000-7000-8000-000000000000');

function raw(
  method: string,
  path: string,
  headers: http.OutgoingHttpHeaders = {},
  body?: string | Buffer,
): Promise<{ status: number; headers: http.IncomingHttpHeaders; body: string }> {
  const { port } = new URL(fleet.url);
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: text }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

const status = (client: FleetClient, method: string, path: string, body?: unknown): Promise<number> =>
  client.request(method, path, body).then(
    () => 200,
    (error) => error.facts.http_status as number,
  );

describe('without a good token', () => {
  const guarded = Object.values<Route>(FLEET_ROUTES).filter(
    (route) => route.documented !== false && !open(route),
  );

  it.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s is refused',
    async (_, route) => {
      for (const token of [undefined, 'rouse_', `rouse_${'x'.repeat(43)}`, fleet.tokens.admin.slice(0, -1)]) {
        expect(await status(fleet.as(token), route.method, pathOf(route), route.body && {})).toBe(401);
      }
    },
  );

  it.each([
    ['revoked', 'revoked_at = now()'],
    ['expired', "expires_at = now() - interval '1 s'"],
  ])('a token that is %s looks like any other bad one', async (_, change) => {
    const { token, token_id } = await fleet.admin.createToken({ kind: 'user', subject: 'x' });
    expect(await status(fleet.as(token), 'GET', '/registry/agents')).toBe(200);
    await fleet.sql.query(`UPDATE tokens SET ${change} WHERE id = $1::uuid`, [token_id]);
    const refused = await raw('GET', '/registry/agents', { authorization: `Bearer ${token}` });
    const unknown = await raw('GET', '/registry/agents', { authorization: `Bearer rouse_${'y'.repeat(43)}` });
    expect([refused.status, refused.body]).toEqual([401, unknown.body]);
  });

  it('the token of a removed agent ends, and nothing is left to address', async () => {
    const gone = await fleet.agent('gone');
    await fleet.orgAdmin.call('registry.agents.remove', { agent_ref: 'gone' });
    expect(await status(gone.client, 'GET', '/registry/agents')).toBe(401);
    expect(await status(fleet.admin, 'GET', '/registry/agents/gone')).toBe(404);
    expect(await status(fleet.admin, 'GET', '/registry/agents?status=removed')).toBe(200);
  });

  it.each(['Basic abc', 'Bearer', 'Bearer a b', 'bearer\ttoken', ''])(
    'the header %j is refused',
    async (header) => {
      expect((await raw('GET', '/registry/agents', { authorization: header })).status).toBe(401);
    },
  );
});

describe('with a token that is not enough', () => {
  const admin: [string, string, object?][] = [
    ['GET', '/admin/tokens'],
    ['POST', '/admin/tokens', { kind: 'user', subject: 'x' }],
    ['GET', '/admin/orgs'],
    ['POST', '/admin/orgs', { name: 'x' }],
    ['POST', '/registry/agents/ana/remove'],
    ['GET', '/admin/sweepers'],
  ];

  it.each(admin)('%s %s needs an administrator', async (method, path, body) => {
    expect(await status(ana.client, method, path, body)).toBe(403);
    expect(await status(fleet.user, method, path, body)).toBe(403);
  });

  it.each<[string, string, object?]>([
    ['POST', '/admin/orgs', { name: 'x' }],
    ['GET', '/admin/sweepers'],
    ['GET', '/metrics'],
    ['POST', '/admin/tokens', { kind: 'admin', subject: 'x', all_orgs: true }],
    ['POST', '/admin/tokens', { kind: 'admin', subject: 'x', org: 'elsewhere' }],
    ['POST', '/admin/tokens', { kind: 'user', subject: 'x', org: 'no-such-org' }],
  ])('%s %s %j is beyond an administrator of one org', async (method, path, body) => {
    expect(await status(fleet.orgAdmin, method, path, body)).toBe(403);
  });

  it('only an agent sends heartbeats, and only as itself', async () => {
    const body = { session_id: 'session-of-ana', active_tasks: 0 };
    for (const client of [fleet.user, fleet.orgAdmin, fleet.admin])
      expect(await status(client, 'POST', '/registry/heartbeat', body)).toBe(403);
    expect(await status(stranger.client, 'POST', '/registry/heartbeat', body)).toBe(409);
  });

  it('an agent registers only itself, and pauses no agent', async () => {
    const other = { agent_id: 'ben', name: 'ben', session_id: 's' };
    expect(await status(ana.client, 'POST', '/registry/register', other)).toBe(403);
    expect(await status(ana.client, 'POST', '/registry/agents/ana/pause')).toBe(403);
    const again = await fleet.agent('self');
    const own = { agent_id: 'self', name: 'self', session_id: 's2' };
    expect(await status(again.client, 'POST', '/registry/register', own)).toBe(200);
  });
});

describe('tenants', () => {
  it('orgs do not see each other', async () => {
    const seen = async (client: FleetClient): Promise<string[]> =>
      (await client.call('registry.agents.list', {})).agents.map(({ agent_id }) => agent_id);
    expect(await seen(foreign.user)).toEqual(['stranger']);
    expect(await seen(fleet.user)).not.toContain('stranger');
    expect((await foreign.admin.call('admin.tokens.list', {})).tokens.map(({ org }) => org)).toEqual(
      expect.not.arrayContaining(['default', null]),
    );
    expect((await foreign.admin.call('admin.orgs.list', {})).orgs.map(({ name }) => name)).toEqual([
      'elsewhere',
    ]);
  });

  it.each<[string, string, object?]>([
    ['GET', '/registry/agents/:id'],
    ['POST', '/registry/agents/:id/pause'],
    ['POST', '/registry/agents/:id/resume'],
    ['POST', '/registry/agents/:id/remove'],
    ['POST', '/admin/tokens', { kind: 'agent', agent: ':id' }],
    ['POST', '/registry/register', { agent_id: 'child', name: 'child', session_id: 's', parent: ':id' }],
  ])('orgs cannot address each other by %s %s %j', async (method, path, body) => {
    for (const ref of [ana.workspaceId, 'ana']) {
      const filled = body && JSON.parse(JSON.stringify(body).replace(':id', ref));
      expect(await status(foreign.admin, method, path.replace(':id', ref), filled)).toBe(404);
    }
    expect((await fleet.admin.agent('ana')).status).not.toBe('paused');
  });

  it('orgs cannot revoke each other, and a foreign token is as unknown as none', async () => {
    const { tokens } = await fleet.orgAdmin.call('admin.tokens.list', {});
    for (const id of [tokens[0]!.token_id, '00000000-0000-7000-8000-000000000000', "x' OR 1=1"])
      expect(await status(foreign.admin, 'POST', `/admin/tokens/${encodeURIComponent(id)}/revoke`)).toBe(404);
    expect((await fleet.orgAdmin.call('admin.tokens.list', {})).tokens).toEqual(tokens);
  });

  it('orgs may have agents of the same id and name', async () => {
    const twin = await fleet.agent('ana', { orgId: foreign.orgId });
    expect((await foreign.user.agent('ana')).workspace_id).toBe(twin.workspaceId);
    expect((await fleet.user.agent('ana')).workspace_id).toBe(ana.workspaceId);
    expect(await status(fleet.admin, 'GET', '/registry/agents/ana')).toBe(409);
  });
});

describe('secrets', () => {
  it('secrets of a fleet server are shown once: no list and no row holds one', async () => {
    const { token, prefix } = await fleet.orgAdmin.createToken({ kind: 'user', subject: 'once' });
    expect(token.startsWith(prefix)).toBe(true);
    const { tokens } = await fleet.admin.call('admin.tokens.list', {});
    expect(JSON.stringify(tokens)).not.toContain(token);
    const { rows } = await fleet.sql.query('SELECT * FROM tokens');
    const stored = JSON.stringify(
      rows.map((row) => ({
        ...row,
        token_hash: Buffer.from(row['token_hash'] as Uint8Array).toString('latin1'),
      })),
    );
    expect(stored).not.toContain(token.slice('rouse_'.length + 8));
  });
});

describe('at the door', () => {
  it.each([
    ['another Host', { host: 'evil.example' }, 403],
    ['a Host that only begins like ours', { host: '127.0.0.1.evil.example' }, 403],
    ['a foreign Origin', { origin: 'http://evil.example' }, 403],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ])('a fleet server refuses %s, with an id to find it by', async (_, headers, expected) => {
    const answer = await raw('GET', '/health', headers);
    expect(answer.status).toBe(expected);
    expect(answer.headers['x-request-id']).toMatch(/^[\w-]{36}$/);
  });

  it('a fleet server keeps a decent request id and replaces any other', async () => {
    expect((await raw('GET', '/health', { 'x-request-id': 'abc-1' })).headers['x-request-id']).toBe('abc-1');
    expect((await raw('GET', '/health', { 'x-request-id': 'a b"c' })).headers['x-request-id']).not.toBe(
      'a b"c',
    );
  });

  it.each<[string, string | Buffer, http.OutgoingHttpHeaders, number]>([
    ['a body that is no JSON', 'x', { 'content-type': 'application/json' }, 422],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a body without a type', '{}', {}, 415],
    ['an unknown field', '{"name":"x","more":1}', { 'content-type': 'application/json' }, 422],
    [
      'a body of five megabytes',
      Buffer.alloc(5 * 1024 * 1024, 32),
      { 'content-type': 'application/json' },
      413,
    ],
  ])('%s is refused', async (_, body, headers, expected) => {
    const authorization = `Bearer ${fleet.tokens.admin}`;
    expect((await raw('POST', '/admin/orgs', { ...headers, authorization }, body)).status).toBe(expected);
    expect((await fleet.admin.call('admin.orgs.list', {})).orgs.map(({ name }) => name)).toEqual([
      'default',
      'elsewhere',
    ]);
  });

  it.each(['UPPER', '', ' ', 'a b', '../x', 'x'.repeat(64), "x'--"])(
    'an org cannot be called %j',
    async (name) => {
      expect(await status(fleet.admin, 'POST', '/admin/orgs', { name })).toBe(422);
    },
  );

  it('a fleet server says whether its database responds, and counts for Prometheus', async () => {
    expect(await fleet.as(undefined).request('GET', '/ready')).toEqual({
      status: 'ready',
      database: 'embedded',
    });
    const { body, headers } = await raw('GET', '/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toMatch(/^rouse_agents\{status="provisioning"\} \d+$/m);
    expect(body).toMatch(
      /^rouse_http_request_seconds_count\{method="GET",route="\/ready",status="200"\} \d+$/m,
    );
    for (const line of body.trim().split('\n'))
      expect(line).toMatch(/^(# HELP \w+ .+|# TYPE \w+ \w+|[a-z_]+(\{[^{}]*\})? [-+.\de]+)$/);
  });
});

describe('too many requests', () => {
  it('a caller with too many requests learns when to come back; guessed tokens lock no one else out', async () => {
    const limits = { requests: { burst: 30, perSecond: 0.001 }, badTokens: { burst: 3, perSecond: 0.01 } };
    const limited = await startFleet({ config: { limits } });
    try {
      const client = limited.as(limited.tokens.user);
      expect(await status(client, 'GET', '/registry/agents')).toBe(200);
      const bad = Array.from({ length: 6 }, (_, i) => `rouse_${String(i).repeat(43)}`);
      const answers: number[] = [];
      for (const token of bad) answers.push(await status(limited.as(token), 'GET', '/registry/agents'));
      expect(answers).toEqual([401, 401, 401, 429, 429, 429]);
      // A token never used before, from the same address, while the guesses go on.
      const guesses = bad.map((token) => status(limited.as(token), 'GET', '/registry/agents'));
      expect(await status(limited.as(limited.tokens.admin), 'GET', '/registry/agents')).toBe(200);
      expect(await Promise.all(guesses)).toEqual(bad.map(() => 429));
      expect(await status(client, 'GET', '/registry/agents')).toBe(200);
      let error: { facts: Record<string, unknown> } | undefined;
      for (let i = 0; i < 40 && !error; i++)
        await client.call('registry.agents.list', {}).catch((thrown) => {
          error = thrown;
        });
      expect(error?.facts).toMatchObject({ http_status: 429, error_code: 'rate_limited' });
      expect(error?.facts['retry_after']).toBeGreaterThan(1);
      const headers = { authorization: `Bearer ${limited.tokens.user}` };
      const answer = await fetch(`${limited.url}/registry/agents`, { headers });
      expect([answer.status, Number(answer.headers.get('retry-after')) > 1]).toEqual([429, true]);
    } finally {
      await limited.stop();
    }
  });
});

describe('a route without fields', () => {
  const UNKNOWN = { dry_run: true };

  it('a route without fields refuses a body with any, and does nothing', async () => {
    const { request_id: ticket } = await fleet.user.call('requests.create', {
      body: { kind: 'task', recipient_type: 'agent', recipient_id: 'ana', title: 'look' },
    });
    const { token_id: token } = await fleet.admin.call('admin.tokens.create', {
      body: { kind: 'user', subject: 'lea', org: 'default' },
    });
    const agent = `/registry/agents/${ana.workspaceId}`;
    for (const path of [
      '/admin/sweepers/liveness/run',
      '/admin/a2a-queue/drop-stale',
      `/admin/tokens/${token}/revoke`,
      ...['pause', 'resume', 'remove'].map((change) => `${agent}/${change}`),
      `/requests/${ticket}/cancel`,
    ])
      expect([path, await status(fleet.admin, 'POST', path, UNKNOWN)]).toEqual([path, 422]);
    const { sweepers } = await fleet.admin.call('admin.sweepers.list', {});
    expect(sweepers.find(({ name }) => name === 'liveness')?.last_result).toBeNull();
    const { tokens } = await fleet.admin.call('admin.tokens.list', {});
    expect(tokens.find(({ token_id }) => token_id === token)?.revoked_at).toBeNull();
    expect((await ana.client.call('requests.get', { request_id: ticket })).request.status).toBe('pending');
    expect((await fleet.user.call('registry.agents.get', { agent_ref: 'ana' })).status).not.toBe('paused');
  });
});

it('listening beyond loopback without an admin token is refused', async () => {
  const directory = `${TEMPLATES}-unguarded-${process.pid}`;
  const config = {
    port: 0,
    databaseUrl: undefined,
    databaseDirectory: directory,
    templateDirectory: TEMPLATES,
  };
  await expect(
    startServer({ ...config, host: '0.0.0.0', clock: systemClock, log: silentLog }),
  ).rejects.toMatchObject({
    code: 'forbidden',
    hint: expect.stringContaining('rouse server init'),
  });
  (await import('node:fs')).rmSync(directory, { recursive: true, force: true });
});
