import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { publishCapability } from '../../src/session/gateway/publish.ts';
import { servedManifest, writeSession } from '../../src/session/testing.ts';
import { TestWorld } from '../support/test-world.ts';
import { type FleetOptions, FleetServerDouble } from './support/fleet-server-double.ts';

let world: TestWorld;
const servers: FleetServerDouble[] = [];

beforeAll(() => {
  world = new TestWorld();
  world.tmux('new-session', '-d', '-s', 'S-cao', 'sh');
});
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
afterAll(async () => {
  await world.close();
});

async function open(options: FleetOptions): Promise<FleetServerDouble> {
  const server = await new FleetServerDouble(options).open();
  servers.push(server);
  return server;
}

const json = (...args: string[]) => world.rouse(['--print-json', ...args], { CAO_PORT: '1' });
const tui = { transport: 'tui', tmux_session_name: 'S-cao', agent_name: 'cao-gpu' };

/** A session of this host whose terminal the server owns, published as after its launch. */
async function served(attach: {
  api_base_url: string | null;
  managed_agent_ref: string | null;
}): Promise<void> {
  const sample = {
    agentName: 'cao-gpu',
    agentId: 'cao',
    tmuxSessionName: 'S-cao',
    generationId: '0189a0b4-0000-7000-8000-000000000000',
  };
  const manifest = servedManifest('houmao_server_rest', sample, attach);
  (manifest['tmux'] as Record<string, unknown>)['socket'] = world.socket;
  await publishCapability(world.context, writeSession(world.context.settings.runtimeDir, manifest));
}

describe('--pair-port', () => {
  it('--pair-port attaches, asks and detaches through the server on that port', async () => {
    const server = await open({ agents: { 'cao-gpu': tui } });
    const at = ['--agent-name', 'cao-gpu', '--pair-port', String(server.port)];
    const attached = await json(
      'agents',
      'gateway',
      'attach',
      ...at,
      '--background',
      '--gateway-tui-stability-threshold-seconds',
      '2',
    );
    expect([attached.code, attached.json['gateway_health']]).toEqual([0, 'healthy']);
    expect(server.calls.at(-1)).toEqual({
      method: 'POST',
      path: '/houmao/agents/cao-gpu/gateway/attach',
      body: { execution_mode: 'detached_process', tui_tracking_timings: { stability_threshold_seconds: 2 } },
    });
    const again = await json('agents', 'gateway', 'attach', ...at);
    expect(again.json['already_attached']).toBe(true);
    expect((await json('agents', 'gateway', 'status', ...at)).json['gateway_health']).toBe('healthy');
    expect((await json('agents', 'gateway', 'detach', ...at)).json['gateway_health']).toBe('not_attached');
  });

  it('--pair-port passes another mode for a live gateway to the server, and reports what it changed', async () => {
    const change = { setting: 'execution_mode', from: 'detached_process', to: 'tmux_auxiliary_window' };
    const server = await open({ agents: { 'cao-gpu': tui }, restarted: [change] });
    const at = ['agents', 'gateway', 'attach', '--agent-name', 'cao-gpu', '--pair-port', String(server.port)];
    await json(...at, '--background');
    const moved = await json(...at, '--foreground');
    expect(server.calls.at(-1)).toMatchObject({ body: { execution_mode: 'tmux_auxiliary_window' } });
    expect(moved.json).toMatchObject({
      already_attached: true,
      restarted: [change],
      detail: 'restarted: mode background → foreground',
    });
  });

  it('--pair-port to a closed port, to another program, and for an unknown agent is refused', async () => {
    const at = (port: number) => [
      'agents',
      'gateway',
      'attach',
      '--agent-name',
      'x',
      '--pair-port',
      String(port),
    ];
    const nobody = await json(...at(1));
    expect([nobody.code, nobody.json['error'].cause]).toEqual([7, 'pair_unreachable']);
    const other = await open({ service: 'something-else' });
    const stranger = await json(...at(other.port));
    expect([stranger.code, stranger.json['error'].cause]).toEqual([4, 'not_a_pair_server']);
    const server = await open({});
    const unknown = await json(...at(server.port));
    expect([unknown.code, unknown.json['error'].cause]).toEqual([3, 'unknown_agent']);
  });

  it('--pair-port passes on what the server refuses, and chooses no address for it', async () => {
    const server = await open({
      agents: { x: { transport: 'tui' } },
      refuseAttach: [409, 'port 1 is in use'],
    });
    const at = ['agents', 'gateway', 'attach', '--agent-name', 'x', '--pair-port', String(server.port)];
    const refused = await json(...at);
    expect([refused.code, refused.json['error'].message]).toEqual([4, 'port 1 is in use']);
    expect((await json(...at, '--gateway-port', '4711')).code).toBe(6);
  });

  it('--pair-port of a server that only watches: this host acts when it owns the session, and refuses when not', async () => {
    const server = await open({ service: 'houmao-passive-server', agents: { x: tui, own: tui } });
    const port = ['--pair-port', String(server.port)];
    const refused = await json('agents', 'gateway', 'attach', '--agent-name', 'x', ...port);
    expect([refused.code, refused.json['error'].cause]).toEqual([6, 'passive_server']);
    const facts = await world.launch('own');
    const said = await json('agents', 'gateway', 'attach', '--agent-name', 'own', '--background', ...port);
    expect([said.code, said.json['tmux_session_name']]).toEqual([0, facts.tmuxSessionName]);
    expect((await json('agents', 'stop', '--agent-name', 'own')).code).toBe(0);
  });
});

describe('a session that a server owns', () => {
  it('a session that a server owns is published like any other before the server knows it; attach is refused until then', async () => {
    const server = await open({});
    await served({ api_base_url: `http://127.0.0.1:${server.port}`, managed_agent_ref: 'cao-gpu' });
    expect(world.tmux('show-environment', '-t', '=S-cao')).toContain('HOUMAO_MANIFEST_PATH=');
    const early = await json('agents', 'gateway', 'attach', '--target-tmux-session', 'S-cao');
    expect([early.code, early.json['error'].cause]).toEqual([5, 'not_registered']);
    server.options.agents = { 'cao-gpu': tui };
    const said = await json('agents', 'gateway', 'attach', '--target-tmux-session', 'S-cao');
    expect([said.code, said.json['gateway_health']]).toEqual([0, 'healthy']);
    expect(
      (await json('agents', 'gateway', 'status', '--agent-name', 'cao-gpu')).json['gateway_health'],
    ).toBe('healthy');
  });

  it.each([
    ['another session', { ...tui, tmux_session_name: 'S-other' }],
    ['an agent without a terminal', { ...tui, transport: 'headless' }],
    ['no session', { transport: 'tui' }],
  ])('a session that a server owns is refused when the server holds it as %s', async (_, agent) => {
    const server = await open({ agents: { 'cao-gpu': agent } });
    await served({ api_base_url: `http://127.0.0.1:${server.port}`, managed_agent_ref: 'cao-gpu' });
    const said = await json('agents', 'gateway', 'attach', '--target-tmux-session', 'S-cao');
    expect([said.code, said.json['error'].cause]).toEqual([4, 'pair_identity_mismatch']);
    expect(server.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  it('a session that a server owns asks no other server when its own does not answer', async () => {
    const other = await open({ agents: { 'cao-gpu': tui } });
    await served({ api_base_url: 'http://127.0.0.1:1', managed_agent_ref: 'cao-gpu' });
    const said = await world.rouse(
      ['--print-json', 'agents', 'gateway', 'attach', '--target-tmux-session', 'S-cao'],
      {
        CAO_PORT: String(other.port),
      },
    );
    expect([said.code, said.json['error'].cause]).toEqual([7, 'pair_unreachable']);
    expect(other.calls).toEqual([]);
  });

  it('a session that a server owns is not stopped, relaunched or shown without that server', async () => {
    await served({ api_base_url: 'http://127.0.0.1:1', managed_agent_ref: 'cao-gpu' });
    for (const action of ['stop', 'relaunch', 'show']) {
      const said = await json('agents', action, '--agent-name', 'cao-gpu');
      expect([said.code, said.json['error'].cause]).toEqual([7, 'pair_unreachable']);
    }
    expect(world.windows('S-cao')).toHaveLength(1);
  });

  it('a session that a server owns is ended from here with --kill-session, and the error of a plain stop says so', async () => {
    await served({ api_base_url: 'http://127.0.0.1:1', managed_agent_ref: 'cao-gpu' });
    const refused = await json('agents', 'stop', '--agent-name', 'cao-gpu');
    const [, command] = /"rouse (agents stop [^"]+)"/.exec(refused.json['error'].hint)!;
    const ended = await json(...command!.split(' '));
    expect([ended.code, ended.stderr]).toEqual([
      0,
      expect.stringContaining('the session is ended from here'),
    ]);
    expect(world.tmux('list-sessions', '-F', '#{session_name}')).not.toContain('S-cao');
    world.tmux('new-session', '-d', '-s', 'S-cao', 'sh');
  });

  it('a session whose server is away is shown with how to reach that server and what is seen from here', async () => {
    await served({ api_base_url: 'http://127.0.0.1:1', managed_agent_ref: 'cao-gpu' });
    const { code, json: said } = await json('agents', 'gateway', 'status', '--agent-name', 'cao-gpu');
    expect([code, said['error'].cause]).toEqual([7, 'pair_unreachable']);
    expect(said['error'].seen_here).toEqual({ session: 'running', gateway: 'not_attached' });
    expect(said['error'].hint).toContain('rouse server start --port 1');
    expect(said['error'].hint).not.toContain('--pair-port');
    const named = await json('agents', 'gateway', 'status', '--agent-name', 'cao-gpu', '--pair-port', '1');
    expect([named.code, named.json['error'].hint]).toEqual([7, expect.stringContaining('--pair-port')]);
  });

  it('a session of a cao_rest server whose manifest names no window gets no gateway, and none is guessed', async () => {
    world.tmux('new-session', '-d', '-s', 'S-old', 'sh');
    const sample = { agentName: 'old', agentId: 'old', tmuxSessionName: 'S-old' };
    const old = servedManifest('cao_rest', sample, {
      api_base_url: 'http://127.0.0.1:1',
      managed_agent_ref: 'old',
    });
    (old['tmux'] as Record<string, unknown>)['socket'] = world.socket;
    const manifest = writeSession(world.context.settings.runtimeDir, old);
    world.tmux('set-environment', '-t', '=S-old', 'HOUMAO_MANIFEST_PATH', manifest);
    const on = (action: string) => json('agents', 'gateway', action, '--target-tmux-session', 'S-old');
    const attached = await on('attach');
    expect([attached.code, attached.json['error'].message]).toEqual([
      7,
      expect.stringContaining('the manifest names no tmux window of the CAO terminal'),
    ]);
    for (const action of ['status', 'detach'])
      expect((await on(action)).json).toMatchObject({ backend: 'cao_rest', gateway_health: 'not_attached' });
    const { agents } = (await json('agents', 'list')).json;
    const listed = agents.find((agent: { agent_name: string }) => agent.agent_name === 'old');
    expect(listed).toMatchObject({ session: 'running', gateway: 'not_attached' });
  });
});
