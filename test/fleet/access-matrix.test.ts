import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending, socketOwner } from '../../src/base/index.ts';
import { ensureAgentToken } from '../../src/client/index.ts';
import { createToken, enqueue, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { testGateway } from '../../src/gateway/testing.ts';
import { Accounts } from '../../src/http/index.ts';
import {
  type AccessRule,
  FLEET_ACCESS,
  FLEET_CALLERS,
  GATEWAY_ACCESS,
  GATEWAY_CALLERS,
  type Outcome,
} from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES, GATEWAY_ROUTES, type Route } from '../../src/wire/index.ts';
import { StandInAgent } from './agents-stand-in.ts';
import { ServedWorld } from './served-world.ts';

/** Uids that no account has; root can still start a process with one. */
const GUEST = 61_001;
const OTHER = 61_002;
const isRoot = process.getuid?.() === 0;

/** Connections from this address count as the guest's, so that the test need not be root. */
const GUESTS_ADDRESS = '127.0.0.2';
const accounts = new Accounts({
  guests: new Set([GUEST]),
  ownerOf: (ends) => (ends.remoteAddress === GUESTS_ADDRESS ? GUEST : socketOwner(ends)),
});

const NO_LIMITS = { requests: { burst: 1e6, perSecond: 1e6 }, badTokens: { burst: 1e6, perSecond: 1e6 } };

/** Binds a mailbox that does not exist: callers with the right get that error, not "no mailbox". */
function giveMailbox(sessionRoot: string): void {
  const file = path.join(sessionRoot, 'manifest.json');
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as { launch_plan: Record<string, unknown> };
  manifest.launch_plan['mailbox'] = {
    transport: 'flatfile',
    principal_id: 'HOUMAO-own',
    address: 'own@test',
    mailbox_path: path.join(sessionRoot, 'nowhere', 'inbox.md'),
    bindings_version: '1',
  };
  fs.writeFileSync(file, JSON.stringify(manifest));
}

interface Call {
  port: number;
  method: string;
  path: string;
  body?: unknown;
  token?: string | undefined;
  from?: string | undefined;
}

/** Returns only the status; a stream is closed as soon as it begins. */
function statusOf({ port, method, path: route, body, token, from }: Call): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = http.request({
      host: '127.0.0.1',
      port,
      method,
      path: route,
      localAddress: from,
      agent: false,
      headers: {
        'x-rouse': '1',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
    });
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    request.on('error', reject);
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** The same by a process of another account. */
async function statusesAsOther(calls: Call[]): Promise<number[]> {
  const program = `require('stream/consumers').text(process.stdin).then(async (calls) => { const said = [];
      for (const { port, method, path, body } of JSON.parse(calls)) {
        const headers = { 'x-rouse': '1', ...(body && { 'content-type': 'application/json' }) };
        const asked = { method, headers, ...(body && { body: JSON.stringify(body) }) };
        const response = await fetch('http://127.0.0.1:' + port + path, asked);
        said.push(response.status);
        await response.body?.cancel();
      }
      console.log(JSON.stringify(said)); });`;
  const child = spawn(process.execPath, ['-e', program], {
    uid: OTHER,
    gid: OTHER,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(calls));
  return JSON.parse(await text(child.stdout)) as number[];
}

/** Whether a status is one of an admitted call, unless the probe names others: neither a refusal nor an internal failure. */
function agrees(expected: Outcome, status: number, admitted?: number): boolean {
  if (expected !== 'yes') return status === expected;
  if (admitted !== undefined) return status === admitted;
  return ![400, 401, 403, 404, 500].includes(status);
}

type Rules = Readonly<Record<string, AccessRule>>;
const GATEWAY_PLACES = Object.values<Route>(GATEWAY_ROUTES);
const FLEET_PLACES = Object.values<Route>(FLEET_ROUTES);
const methodOf = ({ method }: Pick<Route, 'method'>): string => (method === 'ALL' ? 'POST' : method);

describe('the table', () => {
  it.each([
    ['gateway', GATEWAY_PLACES, GATEWAY_ACCESS, GATEWAY_CALLERS],
    ['fleet server', FLEET_PLACES, FLEET_ACCESS, FLEET_CALLERS],
  ] as const)(
    'the table of the %s has the rule of each route, no other, and one cell for each caller',
    (_, places, rules: Rules, callers) => {
      expect(new Set(places.map(({ access }) => access))).toEqual(new Set(Object.keys(rules)));
      for (const { outcomes } of Object.values(rules)) expect(outcomes).toHaveLength(callers.length);
    },
  );
});

describe('a gateway', () => {
  const ending = new Ending();
  const token = 'the-token-of-this-gateway';
  let port: number;
  let agentToken = '';
  beforeAll(async () => {
    const { gateway, root } = await testGateway(ending, { config: { accounts, token } });
    port = gateway.port;
    agentToken = ensureAgentToken(root);
  });
  afterAll(() => ending.run());

  const callOf = (place: Route): Call => ({
    port,
    method: methodOf(place),
    path: place.path.replaceAll(/\{\w+\}/g, 'x'),
    ...(/POST|PUT/.test(methodOf(place)) && { body: {} }),
  });
  const column = (caller: string): number => GATEWAY_CALLERS.findIndex(([name]) => name === caller);
  // No refusal of a gateway is a 404 or 400; those are about the requested thing.
  const differs = ({ id, access }: Route, caller: string, status: number): string[] => {
    const expected = (GATEWAY_ACCESS as Rules)[access]!.outcomes[column(caller)]!;
    const fine = expected === 'yes' ? ![401, 403, 500].includes(status) : status === expected;
    return fine ? [] : [`${id} by ${caller}: ${status}, not ${expected}`];
  };

  it.each([
    ['owner', {}],
    ['guest', { from: GUESTS_ADDRESS }],
    ['bad', { from: GUESTS_ADDRESS, token: 'the-token-of-this-gatewax' }],
    ['token', { from: GUESTS_ADDRESS, token }],
    ['agent', { from: GUESTS_ADDRESS, token: () => agentToken }],
  ])(
    'a gateway answers %s as the table says, on every route',
    async (caller, { token: shown, ...how }: { from?: string; token?: string | (() => string) }) => {
      const wrong: string[] = [];
      const own = { ...how, token: typeof shown === 'function' ? shown() : shown };
      for (const place of GATEWAY_PLACES)
        wrong.push(...differs(place, caller, await statusOf({ ...callOf(place), ...own })));
      expect(wrong).toEqual([]);
    },
  );

  it.skipIf(!isRoot)(
    'a gateway answers another account as the table says (needs root to become one)',
    async () => {
      const statuses = await statusesAsOther(GATEWAY_PLACES.map(callOf));
      expect(GATEWAY_PLACES.flatMap((place, i) => differs(place, 'other account', statuses[i]!))).toEqual([]);
    },
  );
});

describe('a fleet server', () => {
  const world = new ServedWorld();
  let standIn: StandInAgent;
  const tokens: Record<string, string> = {};
  const ids = { home: '', agent: '', asked: '', asking: '', message: '', token: '' };
  let fresh = 0;

  beforeAll(async () => {
    await world.open({ accounts, limits: NO_LIMITS });
    standIn = await StandInAgent.open(world, 'own');
    giveMailbox(standIn.root);
    const { sql } = world.server;
    const [home, away] = [await ensureOrg(sql, 'default'), await ensureOrg(sql, 'elsewhere')];
    const agent = async (orgId: string, agentId: string) =>
      registerWorkspace(sql, { orgId, agentId, name: agentId, sessionId: 's' });
    const person = async (kind: 'user' | 'admin', orgId: string | null, subject: string) =>
      createToken(sql, { kind, orgId, subject } as Parameters<typeof createToken>[1]);
    const own = await agent(home.id, 'id-own');
    const other = await agent(home.id, 'id-other');
    standIn.belongsTo(own.workspaceId);
    const revoked = await person('admin', null, 'gone');
    await sql.query('UPDATE tokens SET revoked_at = now() WHERE id = $1', [revoked.view.id]);
    Object.assign(tokens, {
      bad: `rouse_${'x'.repeat(43)}`,
      revoked: revoked.token,
      agent: own.token,
      'other agent': other.token,
      user: (await person('user', home.id, 'ana')).token,
      admin: (await person('admin', home.id, 'lead')).token,
      // The same agent id, which anyone who registers may choose.
      "other org's agent": (await agent(away.id, 'id-own')).token,
      "other org's user": (await person('user', away.id, 'eve')).token,
      "other org's admin": (await person('admin', away.id, 'mal')).token,
      'server admin': (await person('admin', null, 'root')).token,
    });
    for (const caller of ['agent', 'other agent', "other org's agent"])
      await post('/mailbox/bind', tokens[caller]!, {});
    ids.home = home.id;
    ids.agent = own.workspaceId;
    ids.token = (await person('user', home.id, 'spare')).view.id;
    const sent = { orgId: home.id, workspaceId: own.workspaceId, callerUser: 'ana', priority: 50, body: {} };
    ids.message = (await enqueue(sql, sent)).id;
    ids.asked = await ask(other.token, own.workspaceId);
    ids.asking = await ask(own.token, other.workspaceId);
  });
  afterAll(async () => {
    standIn.close();
    await world.shut();
  });

  async function post(route: string, token: string, body: object): Promise<unknown> {
    const response = await fetch(world.url + route, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.ok, route).toBe(true);
    return response.json();
  }

  async function ask(token: string, recipient_id: string): Promise<string> {
    const wanted = { kind: 'task', recipient_type: 'agent', recipient_id, title: 'please' };
    return ((await post('/requests', token, wanted)) as { request_id: string }).request_id;
  }

  interface Probe {
    body?: unknown;
    path?: Record<string, string>;
    /** The status of an admitted call, if elsewhere it would be a refusal. */
    admitted?: number;
  }

  // These must not really happen to the stand-in. The right is checked before the agent is looked up.
  const MISSING_AGENT: Probe = { path: { agent_ref: 'unknown' }, admitted: 404 };
  const LAUNCH = (): Probe => ({
    body: { tool: 'no-such-tool', agent_name: 'x', working_directory: world.workdir, mailbox: false },
  });
  const PROBES: Record<string, () => Probe | Promise<Probe>> = {
    'agents.launch': LAUNCH,
    'agents.launch.headless': LAUNCH,
    'agents.stop': () => MISSING_AGENT,
    'agents.relaunch': () => MISSING_AGENT,
    'agents.gateway.attach': () => MISSING_AGENT,
    'agents.gateway.detach': () => MISSING_AGENT,
    'registry.register': () => {
      const name = `new-${fresh++}`;
      return { body: { agent_id: name, name, session_id: 's' } };
    },
    'registry.agents.remove': async () => {
      const name = `spare-${fresh++}`;
      const spare = { orgId: ids.home, agentId: name, name, sessionId: 's' };
      return { path: { agent_ref: (await registerWorkspace(world.server.sql, spare)).workspaceId } };
    },
    'mailbox.attachments.get': () => ({ admitted: 404 }),
    'admin.mailboxes.handOver': () => ({ admitted: 404 }),
    'requests.respond': () => ({ body: { action: 'done' } }),
    'requests.message': () => ({ body: { body: 'more' } }),
    'workspace_requests.respond': () => ({ body: { action: 'done' } }),
    'workspace_requests.message': () => ({ body: { body: 'more' } }),
    'workspace_requests.cancel': () => ({ path: { request_id: ids.asking } }),
    'admin.sweepers.run': () => ({ path: { name: 'delivery-upkeep' } }),
    'registry.calls.answer': () => ({ body: { status: 200 } }),
    mcp: () => ({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    'page.shell.asset': () => ({ admitted: 404 }),
    'page.login': () => ({ body: { code: 'guessed' } }),
  };

  async function callOf(place: Route): Promise<[Call, Probe]> {
    const probe: Probe = (await PROBES[place.id]?.()) ?? {};
    const named: Record<string, string> = {
      agent_ref: place.path.startsWith('/registry') ? ids.agent : 'own',
      workspace_id: ids.agent,
      request_id: ids.asked,
      queue_id: ids.message,
      token_id: ids.token,
      ...probe.path,
    };
    const route = place.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? 'x');
    const method = methodOf(place);
    const body = /POST|PUT/.test(method) ? { body: probe.body ?? {} } : {};
    return [{ port: world.server.port, method, path: route, ...body }, probe];
  }

  const expectedOf = ({ access }: Pick<Route, 'access'>, caller: string): Outcome =>
    (FLEET_ACCESS as Rules)[access]!.outcomes[FLEET_CALLERS.findIndex(([name]) => name === caller)]!;

  async function cell(place: Route, caller: string): Promise<string[]> {
    const expected = expectedOf(place, caller);
    if (place.id === 'agents.shutdown' && expected === 'yes') return [];
    const [call, { admitted }] = await callOf(place);
    const from = caller === 'guest' ? GUESTS_ADDRESS : undefined;
    const status = await statusOf({ ...call, from, token: tokens[caller] });
    return agrees(expected, status, admitted)
      ? []
      : [`${call.method} ${call.path} by ${caller}: ${status}, not ${expected}`];
  }

  it('a fleet server answers every caller on every route as the table says', {
    timeout: 300_000,
  }, async () => {
    const wrong: string[] = [];
    for (const place of FLEET_PLACES) {
      const callers = FLEET_CALLERS.map(([name]) => name).filter((name) => name !== 'other account');
      wrong.push(...(await Promise.all(callers.map((caller) => cell(place, caller)))).flat());
    }
    expect(wrong).toEqual([]);
  });

  it.skipIf(!isRoot)(
    'a fleet server answers another account as the table says (needs root to become one)',
    async () => {
      const calls: Call[] = [];
      for (const place of FLEET_PLACES) calls.push((await callOf(place))[0]);
      const statuses = await statusesAsOther(calls);
      const wrong = FLEET_PLACES.flatMap((place, i) => {
        const expected = expectedOf(place, 'other account');
        return agrees(expected, statuses[i]!) ? [] : [`${place.id}: ${statuses[i]}, not ${expected}`];
      });
      expect(wrong).toEqual([]);
    },
  );

  it('a fleet server is shut down by those whom the table names', async () => {
    for (const caller of ['server admin', 'owner']) {
      expect(expectedOf(FLEET_ROUTES['agents.shutdown'], caller)).toBe('yes');
      const at = { port: world.server.port, method: 'POST', path: '/houmao/server/shutdown' };
      expect([caller, await statusOf({ ...at, token: tokens[caller] })]).toEqual([caller, 200]);
      await world.server.stopped;
      await world.open({ accounts, limits: NO_LIMITS });
    }
  });
});
