import * as fs from 'node:fs';
import * as http from 'node:http';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createToken, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { Accounts } from '../../src/http/index.ts';
import { sampleManifest, servedManifest, writeSession } from '../../src/session/testing.ts';
import { CARRIED_ROUTES, MANAGED_AGENT_ROUTES, type Route } from '../../src/wire/index.ts';

const AGENT_ROUTES = Object.values<Route>({ ...MANAGED_AGENT_ROUTES, ...CARRIED_ROUTES });

import { StandInAgent } from '../fleet/agents-stand-in.ts';
import { type Json, ServedWorld } from '../fleet/served-world.ts';

let world: ServedWorld;
const agents: StandInAgent[] = [];
const tokens: Record<string, string> = {};
beforeAll(async () => {
  world = await new ServedWorld().open();
  for (const name of ['own', 'other']) agents.push(await StandInAgent.open(world, name));
  const { sql } = world.server;
  const home = await ensureOrg(sql, 'default');
  const away = await ensureOrg(sql, 'elsewhere');
  const register = async (orgId: string, agentId: string) =>
    registerWorkspace(sql, { orgId, agentId, name: agentId, sessionId: 's' });
  const own = await register(home.id, 'id-own');
  agents[0]!.belongsTo(own.workspaceId);
  tokens['agent own'] = own.token;
  // The same agent ids in another org: the caller that registers chooses them.
  tokens['impostor'] = (await register(away.id, 'id-own')).token;
  await register(away.id, 'id-other');
  const make = async (wanted: Parameters<typeof createToken>[1]): Promise<string> =>
    (await createToken(sql, wanted)).token;
  tokens['user'] = await make({ kind: 'user', orgId: home.id, subject: 'ana' });
  tokens['org admin'] = await make({ kind: 'admin', orgId: home.id, subject: 'lead' });
  tokens['admin'] = await make({ kind: 'admin', orgId: null, subject: 'root' });
  tokens['stranger'] = await make({ kind: 'user', orgId: away.id, subject: 'eve' });
  tokens['launcher'] = await make({ kind: 'user', orgId: home.id, subject: 'ops', grants: ['launch'] });
  tokens['away launcher'] = await make({ kind: 'user', orgId: away.id, subject: 'mal', grants: ['launch'] });
  tokens['stopper'] = await make({ kind: 'user', orgId: home.id, subject: 'off', grants: ['shutdown'] });
  tokens['bad'] = `rouse_${'x'.repeat(43)}`;
});
afterAll(async () => {
  for (const agent of agents) agent.close();
  await world.shut();
});

const as = (who: string | undefined): Record<string, string> =>
  who === undefined ? {} : { authorization: `Bearer ${tokens[who]}` };

/** Sends headers that fetch would not allow. */
function knock(headers: http.OutgoingHttpHeaders, rest = '/agents'): Promise<number> {
  const { port } = world.server;
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path: `/houmao${rest}`, headers, agent: false });
    request.on('response', (response) => resolve(response.resume().statusCode ?? 0)).on('error', reject);
    request.end();
  });
}

describe('a page in a browser', () => {
  it.each([
    ['under another name', { host: 'rebound.example' }, 403],
    ['under another address', { host: '10.0.0.1:9889' }, 403],
    ['from another origin', { origin: 'https://evil.example' }, 403],
    ['from an unnamed origin', { origin: 'null' }, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['that is none', {}, 200],
  ])('%s gets %j: %i', async (_, headers, status) => {
    expect(await knock(headers)).toBe(status);
    expect(await knock(headers, '/agents/own/gateway')).toBe(status);
  });
});

describe('on loopback', () => {
  it.each([
    [undefined, 'own', 200],
    [undefined, 'other', 200],
    ['agent own', 'own', 200],
    ['agent own', 'id-own', 200],
    ['agent own', 'other', 403],
    ['user', 'own', 200],
    ['user', 'other', 200],
    ['org admin', 'other', 200],
    ['admin', 'other', 200],
    ['stranger', 'own', 404],
    ['stranger', 'other', 404],
    // An agent of that id is registered in the stranger's own org, and its host is away.
    ['stranger', 'id-own', 503],
    ['impostor', 'own', 403],
    ['impostor', 'other', 403],
    ['bad', 'own', 401],
  ])('the token of %s opens %s: %i', async (who, ref, status) => {
    expect((await world.ask('GET', `/agents/${ref}/gateway/requests`, undefined, as(who))).status).toBe(
      status,
    );
  });

  it.each([
    [undefined, ['other', 'own']],
    ['agent own', ['own']],
    ['user', ['other', 'own']],
    ['admin', ['other', 'own']],
    ['stranger', []],
    ['impostor', []],
  ])('the token of %s sees %j', async (who, names) => {
    const { agents: seen } = (await world.ask('GET', '/agents', undefined, as(who))).body;
    expect(seen.map((agent: Json) => agent['agent_name']).sort()).toEqual(names);
  });

  it.each([
    ['agent own', '/launches'],
    ['agent own', '/agents/headless/launches'],
    ['agent own', '/launches/register'],
    ['agent own', '/server/shutdown'],
    ['user', '/server/shutdown'],
    ['org admin', '/server/shutdown'],
    ['launcher', '/server/shutdown'],
    ['stopper', '/launches/register'],
    ...['user', 'org admin', 'stranger', 'agent own', 'stopper'].flatMap((who) =>
      ['/stop', '/relaunch', '/gateway/attach', '/gateway/detach'].map((rest): [string, string] => [
        who,
        `/agents/own${rest}`,
      ]),
    ),
    ...['user', 'org admin', 'stranger', 'stopper'].map((who): [string, string] => [
      who,
      '/launches/register',
    ]),
    ['agent own', '/agents/other/stop'],
    ['agent own', '/agents/other/gateway/attach'],
    ['agent own', '/agents/other/gateway/control/prompt'],
    ['agent own', '/agents/other/requests'],
    ['agent own', '/agents/other/turns'],
    ['agent own', '/agents/other/gateway/internal/headless-prompt'],
  ])('the token of %s is not enough for POST %s', async (who, rest) => {
    expect((await world.ask('POST', rest, {}, as(who))).status).toBe(403);
  });

  it('a grant reaches the agents of its own org', async () => {
    for (const rest of ['stop', 'relaunch', 'gateway/attach', 'gateway/detach'])
      expect((await world.ask('POST', `/agents/own/${rest}`, {}, as('away launcher'))).status).toBe(404);
  });

  it('an agent of another org does not make a reference ambiguous', async () => {
    const twin = await StandInAgent.open(world, 'own-twin');
    const { sql } = world.server;
    const away = await ensureOrg(sql, 'elsewhere');
    const place = await registerWorkspace(sql, {
      orgId: away.id,
      agentId: 'id-own-twin',
      name: 'own-twin',
      sessionId: 's',
    });
    twin.belongsTo(place.workspaceId);
    try {
      expect((await world.ask('GET', '/agents/own-twin/gateway', undefined, as('user'))).status).toBe(404);
      expect((await world.ask('GET', '/agents/own-twin/gateway', undefined, as('stranger'))).status).toBe(
        200,
      );
      fs.writeFileSync(path.join(twin.root, 'fleet', 'fleet.json'), '{"url":7}');
      // It belongs to others, and is no longer known to be on this host.
      expect((await world.ask('GET', '/agents/own-twin/gateway', undefined, as('stranger'))).status).toBe(
        503,
      );
      expect((await world.ask('GET', '/agents/own-twin/gateway', undefined, as('user'))).status).toBe(404);
      expect((await world.ask('GET', '/agents/own-twin/gateway', undefined, as('admin'))).status).toBe(200);
    } finally {
      twin.close();
      fs.rmSync(twin.root, { recursive: true });
    }
  });
});

describe('beyond loopback', () => {
  let wide: ServedWorld | undefined;
  afterEach(async () => {
    await wide?.shut();
    wide = undefined;
  });

  it('nothing is answered without a token, an agent opens itself only, a person what is theirs', async () => {
    wide = new ServedWorld();
    await wide.open();
    const { sql } = wide.server;
    const root = (await createToken(sql, { kind: 'admin', orgId: null, subject: 'root' })).token;
    const org = await ensureOrg(sql, 'default');
    const { token, workspaceId } = await registerWorkspace(sql, {
      orgId: org.id,
      agentId: 'id-a',
      name: 'a',
      sessionId: 's',
    });
    await wide.server.stop();
    await wide.open({ host: '0.0.0.0' });
    const agent = await StandInAgent.open(wide, 'a');
    agent.belongsTo(workspaceId);
    try {
      for (const { method, path: route } of AGENT_ROUTES) {
        const rest = route
          .replace('/houmao', '')
          .replace('{agent_ref}', 'a')
          .replaceAll(/\{\w+\}/g, 'x');
        const said = await wide.ask(method, rest, method === 'GET' || method === 'DELETE' ? undefined : {});
        expect([method, rest, said.status]).toEqual([method, rest, 401]);
      }
      expect(agent.seen).toEqual([]);
      const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
      expect((await wide.ask('GET', '/agents/a/gateway/requests', undefined, bearer(token))).status).toBe(
        200,
      );
      expect((await wide.ask('GET', '/agents/a/gateway/requests', undefined, bearer(root))).status).toBe(200);
      expect(agent.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
    } finally {
      agent.close();
    }
  });
});

describe('a launch', () => {
  const body = (change: Json = {}): Json => ({ ...world.launchBody('fresh'), ...change });

  it.each([
    ['a tool that is not there', { tool: 'no-such-tool-at-all' }, 503],
    ['no directory', { working_directory: undefined }, 422],
    ['a relative directory', { working_directory: 'here' }, 422],
    ['a directory that is not there', { working_directory: '/no/such/place' }, 422],
    ['a reserved name', { agent_name: 'HOUMAO-x' }, 422],
    ['a name that is a path', { agent_name: '../x' }, 422],
    ['a name that is taken', { agent_name: 'own', agent_id: 'id-own' }, 409],
    ['a session name that is a target', { session_name: 'a:b' }, 422],
    ['arguments that are no list', { args: 'rm -rf' }, 422],
    ['an unknown field', { owner: 'http://evil.example' }, 422],
    ['an environment in the body', { env: { PATH: '/evil' } }, 422],
    ['an environment from anywhere', { environment_file: '/etc/passwd' }, 403],
  ])('a launch by a server with %s is refused and leaves nothing', async (_, change, status) => {
    const said = await world.ask('POST', '/launches', body(change));
    expect([said.status, said.body['detail'] !== undefined]).toEqual([status, true]);
    expect(world.tmux('list-sessions')).toBe('');
    const sessions = path.join(world.context.settings.runtimeDir, 'sessions', 'houmao_server_rest');
    expect(fs.existsSync(sessions) ? fs.readdirSync(sessions) : []).toEqual([]);
  });

  it('a launch by a server without a token and without a file is the right of the account that owns the server', async () => {
    const guests = new Accounts({ ownUid: 1, guests: new Set([2]), ownerOf: () => 2 });
    const strange = new ServedWorld();
    await strange.open({ accounts: guests });
    try {
      for (const route of ['/launches', '/agents/headless/launches']) {
        const wanted = body({ environment_file: undefined, tool: 'no-such-tool-at-all' });
        expect((await world.ask('POST', route, wanted)).status).toBe(503);
        expect((await strange.ask('POST', route, wanted)).status).toBe(401);
        expect((await strange.ask('POST', route, world.launchBody('fresh'))).status).toBe(401);
      }
    } finally {
      await strange.shut();
    }
  });

  it('a launch by a server needs a grant, whatever the org of the token', async () => {
    const evil = { tool: 'command', args: ['/bin/sh', '-c', `touch ${world.workdir}/evil`] };
    for (const who of ['user', 'org admin', 'stranger', 'stopper', 'agent own', 'impostor']) {
      for (const route of ['/launches', '/agents/headless/launches']) {
        const said = await world.ask('POST', route, body({ environment_file: undefined, ...evil }), as(who));
        expect([who, said.status]).toEqual([who, 403]);
      }
    }
    expect([world.tmux('list-sessions'), fs.existsSync(`${world.workdir}/evil`)]).toEqual(['', false]);
  });

  it('a launch by a server by a token with the grant gets the environment of the server without what is its own', async () => {
    const said = await world.ask('POST', '/launches', body({ environment_file: undefined }), as('launcher'));
    expect(said.status).toBe(200);
    const environ = fs.readFileSync(`/proc/${said.body['tool_pid']}/environ`, 'utf8');
    expect([environ.includes('ROUSE_HOME='), environ.includes('postgres://secret')]).toEqual([true, false]);
    expect((await world.ask('POST', '/agents/fresh/relaunch', {}, as('launcher'))).status).toBe(200);
    expect((await world.ask('POST', '/agents/fresh/stop', {}, as('launcher'))).status).toBe(200);
  });

  const handover = (write: (file: string) => void): string => {
    const directory = path.join(world.context.settings.runtimeDir, 'handover');
    fs.mkdirSync(directory, { recursive: true });
    const file = path.join(directory, `${'0123456789abcdef'.repeat(2)}.json`);
    fs.rmSync(file, { force: true });
    write(file);
    return file;
  };

  it.each([
    ['that others can read', (file: string) => fs.writeFileSync(file, '{}', { mode: 0o644 }), 403],
    ['that is a link', (file: string) => fs.symlinkSync('/etc/passwd', file), 422],
    ['that is no JSON', (file: string) => fs.writeFileSync(file, 'PATH=/evil', { mode: 0o600 }), 422],
    [
      'that holds no texts',
      (file: string) => fs.writeFileSync(file, '{"env":{"A":1}}', { mode: 0o600 }),
      422,
    ],
    ['that is a list', (file: string) => fs.writeFileSync(file, '[]', { mode: 0o600 }), 422],
    ['without an environment', (file: string) => fs.writeFileSync(file, '{}', { mode: 0o600 }), 422],
    [
      'that names half a fleet',
      (file: string) => fs.writeFileSync(file, '{"env":{},"fleet":{"url":"x"}}', { mode: 0o600 }),
      422,
    ],
    ['that is not there', () => {}, 422],
  ])('a launch by a server with an environment file %s is refused', async (_, write, status) => {
    const said = await world.ask('POST', '/launches', body({ environment_file: handover(write) }));
    expect(said.status).toBe(status);
    expect(world.tmux('list-sessions')).toBe('');
  });
});

describe('a registration', () => {
  const session = (manifest: Record<string, unknown>, runtime = world.context.settings.runtimeDir): string =>
    writeSession(runtime, manifest);
  const served = (url: string): Record<string, unknown> =>
    servedManifest(
      'houmao_server_rest',
      { agentName: 'late', agentId: 'id-late', tmuxSessionName: 'S-late' },
      { api_base_url: url, managed_agent_ref: 'S-late' },
    );

  it.each([
    ['of nothing', () => ({}), 422],
    ['without a manifest', () => ({ session_name: 'S-late' }), 409],
    [
      'of a manifest that is not there',
      () => ({ manifest_path: `${world.context.settings.runtimeDir}/sessions/x/y/manifest.json` }),
      404,
    ],
    ['of a manifest elsewhere', () => ({ manifest_path: session(served(world.url), world.workdir) }), 403],
    [
      'that climbs out',
      () => ({ manifest_path: `${world.context.settings.runtimeDir}/sessions/../../../x/manifest.json` }),
      403,
    ],
    [
      'of a session of this host',
      () => ({ session_name: 'S-gpu', manifest_path: session({ ...sampleManifest() }) }),
      409,
    ],
    ['of a session of another server', () => ({ manifest_path: session(served('http://127.0.0.1:1')) }), 409],
    [
      'under another session name',
      () => ({ session_name: 'S-x', manifest_path: session(served(world.url)) }),
      409,
    ],
    ['under another agent id', () => ({ agent_id: 'x', manifest_path: session(served(world.url)) }), 409],
  ])('%s is refused', async (what, make, status) => {
    const named = what === 'of nothing' ? {} : { session_name: 'S-late' };
    expect((await world.ask('POST', '/launches/register', { ...named, ...make() })).status).toBe(status);
    expect((await world.ask('GET', '/agents/late')).status).toBe(404);
  });
});

describe('the server itself', () => {
  it('a fleet server says who it is, also in its own directory', async () => {
    const current = await world.get('GET', '/server/current-instance');
    expect(current).toMatchObject({
      houmao_service: 'houmao-server',
      api_base_url: world.url,
      pid: process.pid,
    });
    const file = path.join(current['server_root'], 'run', 'current-instance.json');
    const published = JSON.parse(fs.readFileSync(file, 'utf8'));
    expect(current).toMatchObject(published);
    expect(Object.keys(published).sort()).toEqual([
      'api_base_url',
      'pid',
      'schema_version',
      'server_root',
      'started_at_utc',
      'status',
    ]);
  });

  it('a fleet server is shut down by an administrator; the answer comes first', async () => {
    const { port } = world.server;
    const current = await world.get('GET', '/server/current-instance');
    const refused = await world.ask('POST', '/server/shutdown', { dry_run: true }, as('admin'));
    expect(refused.status).toBe(422);
    const said = await world.ask('POST', '/server/shutdown', undefined, as('admin'));
    expect([said.status, said.body['action']]).toEqual([200, 'shutdown']);
    await world.server.stopped;
    expect(fs.existsSync(path.join(current['server_root'], 'run', 'current-instance.json'))).toBe(false);
    await world.open({ port });
  });
});
