import { once } from 'node:events';
import * as fs from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openGatewayRecords } from '../../src/gateway/offline.ts';
import { sampled } from '../support/sample.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld({
    tmuxConfig: 'set -g base-index 1\nset -g renumber-windows on\nset -g pane-base-index 1\n',
  });
});
afterAll(async () => {
  expect(await world.close()).toEqual([]);
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);

describe('the life of an agent, by commands', () => {
  let session: string;

  it('launch starts the tool in window 0 of its own session, whatever the numbering of the person', async () => {
    const said = await json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'gpu');
    expect([said.code, said.stderr]).toEqual([0, '']);
    session = said.json['tmux_session_name'];
    expect(session).toMatch(/^HOUMAO-gpu-\d+$/);
    expect(world.windows(session)).toEqual(['0 agent']);
    expect(said.json['session_id']).toMatch(/^local_interactive-\d{8}-\d{6}Z-[0-9a-f]{8}$/);
    expect(said.json['gateway']).toBeNull();
  });

  it('launch publishes capability without a gateway: files, variables, record, mailbox', async () => {
    const { json: agent } = await json('agents', 'show', '--agent-name', 'gpu');
    const root = agent['paths'].gateway_root;
    const read = (name: string) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
    expect(agent['gateway_capability']).toBe('capable');
    expect(read('state.json')).toMatchObject({
      gateway_health: 'not_attached',
      managed_agent_instance_epoch: 0,
    });
    expect(read('attach.json')).toMatchObject({
      attach_identity: agent['session_id'],
      manifest_path: agent['paths'].manifest,
    });
    expect(read('gateway_manifest.json')).toMatchObject({ gateway_pid: null, gateway_port: null });
    expect(read('desired-config.json')).toMatchObject({
      desired_execution_mode: 'tmux_auxiliary_window',
      desired_port: null,
    });
    expect(fs.readFileSync(path.join(root, 'protocol-version.txt'), 'utf8')).toBe('v1\n');
    const records = openGatewayRecords(root);
    expect(records.decisions(1)).toEqual([]);
    records.close();
    const variables = world.tmux('show-environment', '-t', `=${session}`);
    expect(variables).toContain(`HOUMAO_MANIFEST_PATH=${agent['paths'].manifest}`);
    expect(variables).toContain(`HOUMAO_AGENT_ID=${agent['agent_id']}`);
    expect(variables).not.toContain('HOUMAO_AGENT_GATEWAY_PORT');
    expect(agent['mailbox']).toMatchObject({ transport: 'filesystem', address: 'gpu@houmao.localhost' });
  });

  it('the life of an agent, by commands show names the transcript of the scripted agent and its processes', async () => {
    const { json: agent } = await json('agents', 'show', '--agent-name', 'gpu');
    expect(agent['process']).toMatchObject({ tool_running: true });
    const records = await world.until(() => {
      const found = readTranscript(agent['transcript_path']);
      return found.length > 0 ? found : undefined;
    });
    expect(records[0]!.type).toBeTypeOf('string');
  });

  it('a name, an id and a tmux session that are taken are errors, never renamed', async () => {
    const taken = await json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'gpu');
    expect([taken.code, taken.json['error'].cause]).toEqual([4, 'agent_in_use']);
    const sameId = [
      '--agent-name',
      'other',
      '--agent-id',
      (await json('agents', 'show', '--agent-name', 'gpu')).json['agent_id'],
    ];
    expect((await json('agents', 'launch', '--tool', 'scripted', ...sameId)).code).toBe(4);
    const sameSession = ['--agent-name', 'other', '--session-name', session];
    const refused = await json('agents', 'launch', '--tool', 'scripted', ...sameSession);
    expect([refused.code, refused.json['error'].cause]).toEqual([4, 'tmux_session_exists']);
    expect((await json('agents', 'list')).json['agents']).toHaveLength(1);
  });

  it('list shows the session and that no gateway is attached; show, status and resolve-live agree', async () => {
    const { json: list } = await json('agents', 'list');
    expect(list['agents'][0]).toMatchObject({
      agent_name: 'gpu',
      session: 'running',
      gateway: 'not_attached',
    });
    expect((await world.rouse(['agents', 'list'])).stdout).toMatch(
      /gpu\s+scripted\s+running, no gateway: will not be woken\s+0\s+-\s+-\s+not_attached/,
    );
    const status = await world.rouse(['agents', 'gateway', 'status', '--agent-name', 'gpu']);
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/gateway_health\s+not_attached/)]);
    const mail = await json('agents', 'mail', 'resolve-live', '--agent-name', 'gpu');
    expect(mail.json).toMatchObject({ source: 'manifest_binding', gateway: null, gateway_available: false });
  });

  it('attach runs the gateway in a window beside the agent, and everybody can find it', async () => {
    const said = await json('agents', 'gateway', 'attach', '--agent-name', 'gpu');
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json).toMatchObject({
      action: 'gateway_attach',
      gateway_health: 'healthy',
      already_attached: false,
    });
    expect(said.json).toMatchObject({
      execution_mode: 'tmux_auxiliary_window',
      gateway_tmux_window_index: '1',
    });
    expect(world.windows(session)).toEqual(['0 agent', '1 gateway']);
    const variables = world.tmux('show-environment', '-t', `=${session}`);
    expect(variables).toContain(`HOUMAO_AGENT_GATEWAY_PORT=${said.json['gateway_port']}`);
    const mail = await json('agents', 'mail', 'resolve-live', '--agent-name', 'gpu');
    expect(mail.json['gateway']).toMatchObject({ port: said.json['gateway_port'] });
    expect((await json('agents', 'list')).json['agents'][0]).toMatchObject({
      gateway: 'live',
      gateway_port: said.json['gateway_port'],
    });
  });

  it('attach again returns the same, and another address is refused', async () => {
    const first = (await json('agents', 'gateway', 'status', '--agent-name', 'gpu')).json;
    const again = await json('agents', 'gateway', 'attach', '--agent-name', 'gpu');
    expect(again.json).toMatchObject({ already_attached: true, gateway_port: first['gateway_port'] });
    const other = await json('agents', 'gateway', 'attach', '--agent-name', 'gpu', '--gateway-port', '1');
    expect([other.code, other.json['error'].cause]).toEqual([4, 'already_attached']);
    expect(world.windows(session)).toEqual(['0 agent', '1 gateway']);
  });

  it('detach ends the gateway gracefully, keeps the agent, and can be repeated', async () => {
    const said = await json('agents', 'gateway', 'detach', '--agent-name', 'gpu');
    expect(said.json).toMatchObject({
      action: 'gateway_detach',
      ended_by: 'SIGTERM',
      gateway_health: 'not_attached',
    });
    expect(world.windows(session)).toEqual(['0 agent']);
    expect(world.tmux('show-environment', '-t', `=${session}`)).not.toContain('HOUMAO_AGENT_GATEWAY');
    const again = await json('agents', 'gateway', 'detach', '--agent-name', 'gpu');
    expect([again.code, again.json['detail']]).toEqual([0, 'no gateway was running']);
  });

  it('--background is remembered for the next attach, and so are port and timings', async () => {
    const first = await json(
      'agents',
      'gateway',
      'attach',
      '--background',
      '--agent-name',
      'gpu',
      '--gateway-tui-stability-threshold-seconds',
      '2.5',
    );
    expect(first.json).toMatchObject({ execution_mode: 'detached_process', gateway_tmux_window_index: null });
    await json('agents', 'gateway', 'detach', '--agent-name', 'gpu');
    const second = await json('agents', 'gateway', 'attach', '--agent-name', 'gpu');
    expect(second.json).toMatchObject({
      execution_mode: 'detached_process',
      gateway_port: first.json['gateway_port'],
    });
    const stored = (name: string) =>
      JSON.parse(fs.readFileSync(path.join(second.json['gateway_root'], name), 'utf8'));
    expect(stored('desired-config.json')).toMatchObject({
      desired_tui_tracking_timings: { stability_threshold_seconds: 2.5 },
    });
    expect(stored('desired-config.rouse.json')).toMatchObject({ desired_port_origin: 'auto' });
  });

  it('relaunch starts another instance of the tool in window 0', async () => {
    const before = (await json('agents', 'show', '--agent-name', 'gpu')).json['process'].tool_pid;
    const said = await json('agents', 'relaunch', '--agent-name', 'gpu');
    expect([said.code, said.json['revived']]).toEqual([0, false]);
    const after = (await json('agents', 'show', '--agent-name', 'gpu')).json['process'];
    expect(after).toMatchObject({ tool_running: true, tool_pid: said.json['tool_pid'] });
    expect(after.tool_pid).not.toBe(before);
    expect(world.windows(session)).toEqual(['0 agent']);
  });

  it('list distinguishes a tool that died from its session, which goes on', async () => {
    await json('agents', 'gateway', 'attach', '--agent-name', 'gpu');
    process.kill((await json('agents', 'show', '--agent-name', 'gpu')).json['process'].tool_pid, 'SIGKILL');
    await expect
      .poll(async () => (await json('agents', 'list')).json['agents'][0].tool_connectivity, {
        timeout: 20_000,
      })
      .toBe('unavailable');
    expect((await world.rouse(['agents', 'list'])).stdout).toMatch(/gpu\s+scripted\s+tool gone\s.*\slive/);
  });

  it('no file of an agent can be read by another account', () => {
    expect(world.readableByOthers()).toEqual([]);
  });

  it('stop needs the name of an agent, detaches first, and leaves nothing running', async () => {
    const unnamed = await json('agents', 'stop');
    expect(unnamed.code).toBe(2);
    const said = await json('agents', 'stop', '--agent-name', 'gpu');
    expect([said.code, said.json['was_running']]).toEqual([0, true]);
    await world.until(() => world.processes().length === 0);
    expect((await json('agents', 'list')).json['agents']).toEqual([]);
    expect((await json('agents', 'stop', '--agent-name', 'gpu')).code).toBe(3);
  });
});

describe('older spellings', () => {
  it('attach-gateway, gateway-status and detach-gateway take --agent-identity, as the source spells them', async () => {
    await json('agents', 'launch', '--tool', 'scripted', '--agent-name', 'old', '--no-mailbox');
    const manifest = (await json('agents', 'show', '--agent-name', 'old')).json['paths'].manifest;
    expect(
      (await json('attach-gateway', '--agent-identity', 'HOUMAO-old', '--background')).json['gateway_health'],
    ).toBe('healthy');
    expect((await json('gateway-status', '--agent-identity', manifest)).json['gateway_health']).toBe(
      'healthy',
    );
    expect((await json('detach-gateway', '--agent-identity', 'old')).json['gateway_health']).toBe(
      'not_attached',
    );
    const again = await json('attach-gateway', '--agent-identity', 'old', '--background');
    expect(again.json['gateway_health']).toBe('healthy');
    expect((await json('agents', 'stop', '--agent-name', 'old')).code).toBe(0);
  });
});

describe('a launch that cannot be', () => {
  afterEach(async () => {
    await json('agents', 'stop', '--agent-name', 'x');
  });

  const refused: [string, string[], number][] = [
    ['a reserved name', ['--agent-name', 'HOUMAO-x', '--tool', 'scripted'], 2],
    ['a name that is a path', ['--agent-name', '../x', '--tool', 'scripted'], 2],
    ['no tool', ['--agent-name', 'x'], 2],
    ['a slip of a tool', ['--agent-name', 'x', '--tool', 'clude'], 2],
    ['a tool that is not installed', ['--agent-name', 'x', '--tool', 'no-such-tool-here'], 7],
    [
      'a working directory that is not there',
      ['--agent-name', 'x', '--tool', 'scripted', '--workdir', '/nowhere'],
      2,
    ],
    ['a tmux name with a colon', ['--agent-name', 'x', '--tool', 'scripted', '--session-name', 'a:b'], 2],
    [
      'gateway flags without auto-attach',
      ['--agent-name', 'x', '--tool', 'scripted', '--gateway-port', '1'],
      2,
    ],
    [
      'no mailbox and an address',
      ['--agent-name', 'x', '--tool', 'scripted', '--no-mailbox', '--mailbox-address', 'a@b'],
      2,
    ],
    [
      'an address that is none',
      ['--agent-name', 'x', '--tool', 'scripted', '--mailbox-address', 'nobody'],
      2,
    ],
    [
      'a timing of zero',
      [
        '--agent-name',
        'x',
        '--tool',
        'scripted',
        '--gateway-auto-attach',
        '--gateway-tui-stability-threshold-seconds',
        '0',
      ],
      2,
    ],
    [
      'a tool that ends at once',
      ['--agent-name', 'x', '--tool', 'command', '--', 'sh', '-c', 'echo no licence; exit 3'],
      7,
    ],
  ];
  it.each(sampled(import.meta.filename, refused, 4))(
    '%s is refused and changes nothing',
    async (_, args, code) => {
      const said = await json('agents', 'launch', ...args);
      expect([said.code, said.json['error']?.message]).toEqual([code, expect.any(String)]);
      expect((await json('agents', 'list')).json['agents']).toEqual([]);
      expect(world.processes()).toEqual([]);
      const sessions = path.join(world.context.settings.runtimeDir, 'sessions', 'local_interactive');
      const roots = fs.existsSync(sessions) ? fs.readdirSync(sessions) : [];
      for (const root of roots) expect(fs.existsSync(path.join(sessions, root, 'launch', 'env'))).toBe(false);
    },
  );

  it('a tool that ends at once is quoted', async () => {
    const said = await json(
      'agents',
      'launch',
      '--agent-name',
      'x',
      '--tool',
      'command',
      '--',
      'sh',
      '-c',
      'echo no licence; exit 3',
    );
    expect(said.json['error']).toMatchObject({
      cause: 'tool_ended',
      exit_code: 3,
      hint: expect.stringContaining('no licence'),
    });
  });

  it('a gateway that cannot be attached leaves the agent running and is reported', async () => {
    const busy = createServer().listen(0, '127.0.0.1');
    await once(busy, 'listening');
    const { port } = busy.address() as AddressInfo;
    const flags = ['--gateway-auto-attach', '--gateway-port', String(port)];
    const said = await json(
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--agent-name',
      'x',
      '--no-mailbox',
      ...flags,
    );
    busy.close();
    expect(said.code).toBe(4);
    expect(said.json).toMatchObject({
      agent_name: 'x',
      gateway: null,
      gateway_auto_attach_error: { code: 'conflict', cause: 'port_in_use', gateway_port: port },
    });
    const { agents } = (await json('agents', 'list')).json;
    expect(agents[0]).toMatchObject({ session: 'running', gateway: 'not_attached' });
  });
});
