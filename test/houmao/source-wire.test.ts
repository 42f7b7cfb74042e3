import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATOR } from '../../src/domain/index.ts';
import { createToken, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { attach } from '../../src/session/index.ts';
import { recordPath } from '../../src/session/records/registry-read.ts';
import { sessionPaths } from '../../src/session/records/session-paths.ts';
import { whyNotServed } from '../../src/wire/compatibility/differences.ts';
import { FLEET_ROUTES, GATEWAY_ROUTES, type Routes } from '../../src/wire/index.ts';
import { ServedWorld } from '../fleet/served-world.ts';
import { differences, FILE_MODELS, GATEWAY_MODELS, type Model, SERVER_MODELS } from './models.ts';
import { type Json, Recorder, sourceRoutes } from './recorder.ts';
import { GATEWAY_SHEET, SERVER_SHEET } from './sheet-routes.ts';

const lines = (text: string): string[] => text.trim().split('\n');

describe.each<[string, string, Routes, Readonly<Record<string, Model>>]>([
  ['the gateway', GATEWAY_SHEET, GATEWAY_ROUTES, GATEWAY_MODELS],
  ['the server', SERVER_SHEET, FLEET_ROUTES, SERVER_MODELS],
])('the routes of %s', (_, sheet, routes, models) => {
  it('routes of the source have a list of its fields, or a reason why they are not served', () => {
    const without = lines(sheet).filter(
      (route) => !(route in models) && whyNotServed(route.split(' ')[1]!) === undefined,
    );
    expect(without).toEqual([]);
  });

  it('routes that are not marked as ours have a list of fields, and every list has a route', () => {
    expect(sourceRoutes(routes).sort()).toEqual(Object.keys(models).sort());
  });
});

describe('with ROUSE_WIRE=houmao', () => {
  const world = new ServedWorld();
  let server: Recorder;
  let own: Recorder;
  let solo: Recorder;
  const roots: Record<string, string> = {};

  beforeAll(async () => {
    world.env['ROUSE_WIRE'] = 'houmao';
    await world.open({ wire: 'houmao', calm: true });
    server = new Recorder(world.url, FLEET_ROUTES, SERVER_MODELS);
    own = await local('own', { mailbox: {}, args: ['--turn', '20ms'] });
    solo = await local('solo', { headless: true, mailbox: {} });
  });
  afterAll(async () => {
    await world.shut();
  });

  /** An agent of the host with a gateway, which is asked directly. */
  async function local(name: string, options: object): Promise<Recorder> {
    const facts = await world.launch(name, options);
    roots[name] = facts.root;
    const { status } = await attach(world.context, { kind: 'local', facts }, { mode: 'detached_process' });
    return new Recorder(`http://127.0.0.1:${status.gateway_port}`, GATEWAY_ROUTES, GATEWAY_MODELS);
  }

  const ready = async (recorder: Recorder, at: string): Promise<unknown> =>
    world.until(async () => {
      const { turn, stability } = await recorder.ask('GET', `${at}/tui/state`);
      return turn.phase === 'ready' && stability.stable;
    });

  /** Everything a terminal's gateway serves, below `at`; its mail is below `mail`. */
  async function driveTerminal(
    on: Recorder,
    at: string,
    { tui, mail }: { tui: string; mail: string },
  ): Promise<void> {
    await ready(on, tui);
    expect(await on.ask('POST', `${at}/control/prompt`, { prompt: 'one' })).toMatchObject({
      sent: true,
      forced: false,
    });
    await on.ask('POST', `${at}/requests`, { kind: 'submit_prompt', payload: { prompt: 'two' } });
    await on.refused('POST', `${at}/control/prompt`, { prompt: 'at once' });
    await on.refused('POST', `${at}/requests`, { kind: 'submit_prompt', payload: { prompt: ' ' } });
    await ready(on, tui);
    await on.ask('POST', `${at}/control/send-keys`, { sequence: '<[BSpace]>' });
    expect((await on.ask('GET', `${tui}/tui/history`))['entries'].length).toBeGreaterThan(0);
    await on.ask('POST', `${tui}/tui/note-prompt`, { prompt: 'noted' });
    await driveReminders(on, `${at}/reminders`);
    await driveMail(on, mail);
    const notifier = `${at}/mail-notifier`;
    await on.ask('PUT', notifier, { interval_seconds: 3600 });
    await on.ask('GET', notifier);
    await on.ask('DELETE', notifier);
  }

  async function driveReminders(on: Recorder, at: string): Promise<void> {
    const later = { mode: 'one_off', title: 'later', ranking: 1, start_after_seconds: 3600 };
    const set = await on.ask('POST', at, {
      reminders: [
        { ...later, prompt: 'x' },
        { ...later, prompt: 'y', mode: 'repeat', interval_seconds: 60 },
      ],
    });
    const ids: string[] = set['reminders'].map((each: Json) => each['reminder_id']);
    const [first] = ids;
    await on.ask('GET', at);
    await on.ask('GET', `${at}/${first}`);
    await on.ask('PUT', `${at}/${first}`, { ...later, prompt: 'z' });
    for (const id of ids) await on.ask('DELETE', `${at}/${id}`);
    await on.refused('GET', `${at}/${first}`);
  }

  async function driveMail(on: Recorder, at: string): Promise<void> {
    const { address } = await on.ask('GET', `${at}/status`);
    const file = path.join(world.workdir, 'note.txt');
    fs.writeFileSync(file, 'note');
    const mail = { subject: 's', body_content: 'b', attachments: [{ path: file }] };
    await on.ask('POST', `${at}/send`, { to: [address], cc: [OPERATOR.address], ...mail });
    const { message } = await on.ask('POST', `${at}/post`, mail);
    const one = { message_ref: message.message_ref };
    const many = { message_refs: [message.message_ref] };
    for (const name of ['list', 'check'])
      expect(
        (await on.ask('POST', `${at}/${name}`, { include_body: true }))['messages'].length,
      ).toBeGreaterThan(0);
    await on.ask('POST', `${at}/peek`, one);
    await on.ask('POST', `${at}/read`, one);
    await on.ask('POST', `${at}/reply`, { ...one, body_content: 're' });
    await on.ask('POST', `${at}/mark`, { ...many, answered: true });
    await on.ask('POST', `${at}/move`, { ...many, destination_box: 'later' });
    await on.ask('POST', `${at}/archive`, many);
    await on.refused('POST', `${at}/peek`, { message_ref: 'filesystem:nope' });
  }

  it('with ROUSE_WIRE=houmao a gateway responds with the fields of the source, no more and no fewer', async () => {
    await own.ask('GET', '/health');
    await own.ask('GET', '/v1/status');
    await driveTerminal(own, '/v1', { tui: '/v1/control', mail: '/v1/mail' });
    const keys = { sequence: '<[Escape]>', ensure_enter: false };
    const later = { mode: 'one_off', title: 'keys', ranking: 1, start_after_seconds: 3600 };
    await own.ask('POST', '/v1/reminders', { reminders: [{ ...later, send_keys: keys }] });
    await solo.ask('GET', '/v1/control/headless/state');
    await solo.ask('POST', '/v1/control/headless/next-prompt-session', { mode: 'new' });
    await solo.refused('GET', '/v1/control/tui/state');
    const all = new Set([...own.recorded, ...solo.recorded]);
    expect(Object.keys(GATEWAY_MODELS).filter((route) => !all.has(route))).toEqual([]);
  }, 60_000);

  it('with ROUSE_WIRE=houmao the server responds with the fields of the source, also for the gateways behind it', async () => {
    await server.ask('GET', '/health');
    await server.ask('GET', '/houmao/server/current-instance');
    const terminal = await world.launchServed('gpu', { mailbox: {}, args: ['--turn', '20ms'] });
    roots['gpu'] = terminal['session_root'];
    const { manifest_path, session_name } = terminal;
    await server.ask('POST', '/houmao/launches/register', { session_name, manifest_path });
    await driveServedTerminal('/houmao/agents/gpu');
    await driveServedHeadless('/houmao/agents/runner');
    await driveHostHeadless('/houmao/agents/solo');
    await driveInbox();
    await server.ask('POST', '/houmao/agents/gpu/stop');
    await server.ask('POST', '/houmao/agents/runner/stop');
    const { recorded } = server;
    const rest = Object.keys(SERVER_MODELS).filter((route) => !recorded.has(route));
    expect(rest).toEqual(['POST /houmao/server/shutdown']);
  }, 120_000);

  async function driveServedTerminal(at: string): Promise<void> {
    for (const end of ['', '/state', '/state/detail', '/history', '/gateway'])
      await server.ask('GET', at + end);
    const timings = { stability_threshold_seconds: 0.5, watch_poll_interval_seconds: null };
    await server.ask('POST', `${at}/gateway/attach`, {
      execution_mode: 'detached_process',
      tui_tracking_timings: timings,
    });
    expect((await server.ask('GET', '/houmao/agents'))['agents'].length).toBe(3);
    await server.ask('GET', `${at}/mail/resolve-live`);
    await driveTerminal(server, `${at}/gateway`, { tui: `${at}/gateway`, mail: `${at}/mail` });
    await server.ask('POST', `${at}/requests`, { request_kind: 'submit_prompt', prompt: 'queued' });
    await server.ask('POST', `${at}/interrupt`);
    for (const end of ['/state', '/state/detail', '/history', '/gateway']) await server.ask('GET', at + end);
    await server.ask('POST', `${at}/gateway/detach`);
    await server.refused('GET', `${at}/gateway/tui/state`);
  }

  async function driveServedHeadless(at: string): Promise<void> {
    const launched = await server.ask('POST', '/houmao/agents/headless/launches', world.launchBody('runner'));
    roots['runner'] = launched['session_root'];
    const ended = async (id: string): Promise<Json> =>
      world.until(async () => {
        const turn = await server.ask('GET', `${at}/turns/${id}`);
        return turn['status'] === 'active' ? undefined : turn;
      });
    for (const end of ['/state', '/state/detail', '/history']) await server.ask('GET', at + end);
    const { turn_id } = await server.ask('POST', `${at}/turns`, { prompt: 'x [[say=yes]]' });
    await server.ask('GET', `${at}/state/detail`);
    expect(await ended(turn_id)).toMatchObject({ status: 'completed', returncode: 0, error: null });
    expect((await server.ask('GET', `${at}/turns/${turn_id}/events`))['entries'].length).toBeGreaterThan(0);
    await server.ask('GET', `${at}/turns/${turn_id}/artifacts/stdout`);
    const internal = { prompt: 'y', turn_id: 'mine', chat_session: null, execution: null };
    await server.ask('POST', `${at}/gateway/internal/headless-prompt`, internal);
    await ended('mine');
    for (const end of ['/state', '/state/detail', '/history']) await server.ask('GET', at + end);
    await server.refused('GET', `${at}/turns/nope`);
  }

  async function driveHostHeadless(at: string): Promise<void> {
    const control = `${at}/gateway/control/headless`;
    await server.ask('GET', `${control}/state`);
    await server.ask('POST', `${control}/next-prompt-session`, { mode: 'new' });
    for (const end of ['/state', '/state/detail', '/history']) await server.ask('GET', at + end);
  }

  async function driveInbox(): Promise<void> {
    const { sql } = world.server;
    const { id: orgId } = await ensureOrg(sql, 'tenant');
    const agent = async (name: string) =>
      registerWorkspace(sql, { orgId, agentId: name, name, sessionId: name });
    const [ana, ben] = [await agent('ana'), await agent('ben')];
    const { token: admin } = await createToken(sql, { kind: 'admin', orgId, subject: 'carl' });
    const task = { kind: 'task', recipient_type: 'agent', recipient_id: 'ben', title: 'look' };
    const roofs: [string, string, string][] = [
      [`/workspaces/${ana.workspaceId}/requests`, `/workspaces/${ben.workspaceId}/requests`, ben.token],
      ['/requests', '/requests', ben.token],
    ];
    for (const [from, to, token] of roofs) {
      const made = async (): Promise<string> =>
        (await server.ask('POST', from, task, ana.token))['request_id'];
      const [id, other] = [await made(), await made()];
      await server.ask('POST', `${to}/${id}/messages`, { body: 'how?' }, token);
      expect((await server.ask('GET', `${to}/inbox`, undefined, token))['requests'].length).toBeGreaterThan(
        0,
      );
      await server.ask('GET', from, undefined, ana.token);
      expect((await server.ask('GET', `${from}/${id}`, undefined, ana.token))['messages']).toHaveLength(1);
      await server.ask('POST', `${to}/${id}/respond`, { action: 'done' }, token);
      await server.ask('POST', `${from}/${other}/cancel`, undefined, ana.token);
    }
    await server.ask('GET', '/requests/pending', undefined, admin);
    const parts = [{ kind: 'text', text: 'hello' }];
    const line = `/workspaces/${ben.workspaceId}/a2a`;
    const { queue_id } = await server.ask('POST', line, { params: { message: { parts } } }, ana.token);
    await server.ask('GET', `${line}/queue/${queue_id}`, undefined, ana.token);
    await server.ask('POST', '/admin/a2a-queue/drop-stale', undefined, admin);
  }

  it('with ROUSE_WIRE=houmao the files that others read have the fields of the source', async () => {
    const wrong: string[] = [];
    const check = (name: keyof typeof FILE_MODELS, file: string): void => {
      if (!fs.existsSync(file)) return;
      const found = differences(FILE_MODELS[name], JSON.parse(fs.readFileSync(file, 'utf8')));
      wrong.push(...found.map((each) => `${path.basename(file)}: ${each}`));
      checked.add(name);
    };
    const checked = new Set<string>();
    for (const root of Object.values(roots)) {
      const paths = sessionPaths(root);
      check('manifest', paths.manifest);
      check('attach', paths.attach);
      check('gateway_manifest', paths.gatewayManifest);
      check('desired_config', paths.desiredConfig);
      check('state', paths.state);
      check('current_instance', paths.currentInstance);
      if (!fs.existsSync(paths.manifest)) continue;
      const { agent_id } = JSON.parse(fs.readFileSync(paths.manifest, 'utf8'));
      check('registry_record', recordPath(world.context.settings.registryDir, agent_id));
    }
    const place = path.join(
      world.context.settings.runtimeDir,
      'houmao_servers',
      `127.0.0.1-${world.server.port}`,
    );
    check('server_instance', path.join(place, 'run', 'current-instance.json'));
    expect([wrong, [...checked].sort()]).toEqual([[], Object.keys(FILE_MODELS).sort()]);
  });

  it('a caller that sends X-Rouse: 1 gets all fields, also with ROUSE_WIRE=houmao', async () => {
    const response = await fetch(`${world.url}/health`, { headers: { 'x-rouse': '1' } });
    expect(await response.json()).toMatchObject({ instance_id: world.server.instanceId, reasons: [] });
    const { agents } = await world.get('GET', '/agents');
    expect(agents[0].owner).toBeDefined();
  });

  it('with ROUSE_WIRE=houmao a server that is shut down says so in the source’s words', async () => {
    await server.ask('POST', '/houmao/server/shutdown');
    expect(server.recorded.has('POST /houmao/server/shutdown')).toBe(true);
  });
});
