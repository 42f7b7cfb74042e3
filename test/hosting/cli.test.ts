import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken, ensureOrg } from '../../src/fleet/index.ts';
import { type Json, ServedWorld } from '../fleet/served-world.ts';
import { ROOT } from '../support/test-world.ts';

let world: ServedWorld;
let launched: Json;
let pair: string[];
let at: string[];
beforeAll(async () => {
  world = await new ServedWorld().open();
  pair = ['--pair-port', String(world.server.port)];
  at = ['--agent-name', 'cao-gpu', ...pair];
});
afterAll(async () => {
  await world.shut();
});

const refused = async (
  args: string[],
  env: NodeJS.ProcessEnv = {},
): Promise<[number, string | undefined]> => {
  const said = await world.rouse(['--print-json', ...args], { CAO_PORT: '1', ...env });
  return [said.code, said.json['error']?.cause as string | undefined];
};
const gateway = (...args: string[]): Promise<Json> => world.json('agents', 'gateway', ...args, ...at);
/** Retries until the agent is ready: what is refused before was not typed. */
const prompted = (...args: string[]): Promise<Json> =>
  world.until(async () => {
    const said = await world.rouse(['--print-json', ...args, ...at]);
    return said.code === 0 ? said.json : undefined;
  });
const registrations = (): string =>
  path.join(
    world.context.settings.runtimeDir,
    'houmao_servers',
    `127.0.0.1-${world.server.port}`,
    'managed_agents',
  );

describe('rouse agents launch --pair-port', () => {
  it('rouse agents launch --pair-port has the server launch the tool with the environment of this command, which is kept nowhere', async () => {
    const said = await world.rouse(
      ['--print-json', 'agents', 'launch', '--tool', 'scripted', '--agent-name', 'cao-gpu', ...pair],
      { CALLERS_KEY: 'only-mine' },
    );
    expect([said.code, said.stderr]).toEqual([0, '']);
    launched = said.json;
    expect(launched).toMatchObject({ backend: 'houmao_server_rest', agent_name: 'cao-gpu' });
    expect(fs.readFileSync(`/proc/${launched['tool_pid']}/environ`, 'utf8')).toContain(
      'CALLERS_KEY=only-mine',
    );
    expect(fs.readdirSync(path.join(world.context.settings.runtimeDir, 'handover'))).toEqual([]);
    expect(fs.readFileSync(launched['manifest_path'], 'utf8')).not.toContain('only-mine');
  });

  it('rouse agents launch --pair-port registers the agent with the fleet that is configured here, and speaks with the token of the file', async () => {
    const { sql } = world.server;
    const org = await ensureOrg(sql, 'default');
    const { token } = await createToken(sql, { kind: 'user', orgId: org.id, subject: 'ana' });
    const file = path.join(world.directory, 'token');
    fs.writeFileSync(file, token, { mode: 0o600 });
    const launch = ['agents', 'launch', '--tool', 'scripted', '--agent-name', 'member', '--no-mailbox'];
    const env = { ROUSE_FLEET_URL: world.url, ROUSE_FLEET_TOKEN_FILE: file };
    const said = await world.rouse(['--print-json', ...launch, ...pair], env);
    expect([said.code, said.json['fleet'].url, said.json['fleet_error']]).toEqual([0, world.url, null]);
    const { rows } = await sql.query('SELECT agent_id FROM workspaces WHERE id = $1', [
      said.json['fleet'].workspace_id,
    ]);
    expect(rows).toEqual([{ agent_id: said.json['agent_id'] }]);
    const own = fs.readFileSync(path.join(said.json['session_root'], 'fleet', 'token'), 'utf8').trim();
    const as = { authorization: `Bearer ${own}` };
    expect((await world.ask('GET', '/agents/member/gateway', undefined, as)).status).toBe(200);
    expect((await world.ask('GET', '/agents/cao-gpu/gateway', undefined, as)).status).toBe(403);
    await world.json('agents', 'stop', '--agent-name', 'member', ...pair);
  });

  it('rouse agents launch --pair-port of a name that is taken, or to a server that is not there, is refused', async () => {
    const launch = ['agents', 'launch', '--tool', 'scripted', '--agent-name'];
    expect((await refused([...launch, 'cao-gpu', ...pair]))[0]).toBe(4);
    expect(await refused([...launch, 'x', '--pair-port', '1'])).toEqual([7, 'pair_unreachable']);
    expect(fs.readdirSync(path.join(world.context.settings.runtimeDir, 'handover'))).toEqual([]);
  });
});

describe('the session itself', () => {
  const inside = (): NodeJS.ProcessEnv => ({
    TMUX: `${world.socket},1,0`,
    TMUX_PANE: world.tmux('list-panes', '-t', `=${launched['tmux_session_name']}:0`, '-F', '#{pane_id}'),
  });
  const session = (): string[] => ['--target-tmux-session', launched['tmux_session_name'] as string];

  it('a session of the server can be attached only once the server has registered it', async () => {
    const own = path.join(registrations(), launched['session_id'] as string);
    fs.renameSync(own, `${own}.aside`);
    const attach = ['agents', 'gateway', 'attach'];
    expect(await refused(attach, inside())).toEqual([5, 'not_registered']);
    expect(await refused([...attach, ...session()])).toEqual([5, 'not_registered']);
    expect((await world.ask('GET', '/agents/cao-gpu')).status).toBe(404);
    await world.get('POST', '/launches/register', {
      session_name: launched['tmux_session_name'],
      manifest_path: launched['manifest_path'],
    });
    const said = await world.rouse(['--print-json', ...attach], { CAO_PORT: '1', ...inside() });
    expect([said.code, said.json['gateway_health'], said.json['execution_mode']]).toEqual([
      0,
      'healthy',
      'tmux_auxiliary_window',
    ]);
    fs.rmSync(`${own}.aside`, { recursive: true });
  });

  it('a session of the server takes no other server than the one of its manifest', async () => {
    const attach = ['agents', 'gateway', 'attach', ...pair];
    expect((await refused([...attach, ...session()]))[0]).toBe(2);
    expect((await refused([...attach, '--current-session'], inside()))[0]).toBe(2);
    expect((await refused(attach))[0]).toBe(2);
  });

  it('a session of the server is asked, prompted and given keys from inside and by its name', async () => {
    for (const [args, env] of [
      [[], inside()],
      [session(), {}],
      [['--agent-name', 'cao-gpu'], {}],
    ] as const) {
      const said = await world.rouse(['--print-json', 'agents', 'gateway', 'status', ...args], {
        CAO_PORT: '1',
        ...env,
      });
      expect([said.code, said.json['gateway_health']]).toEqual([0, 'healthy']);
    }
    const keys = ['agents', 'gateway', 'send-keys', '--sequence', '<[Escape]>'];
    expect((await world.rouse(['--print-json', ...keys], { CAO_PORT: '1', ...inside() })).code).toBe(0);
  });
});

describe('--pair-port', () => {
  it('--pair-port lists and shows what the server knows', async () => {
    const { agents } = await world.json('agents', 'list', ...pair);
    expect(agents.map((agent: Json) => [agent['agent_name'], agent['gateway'], agent['owner']])).toEqual([
      ['cao-gpu', 'live', 'server'],
    ]);
    expect((await world.json('agents', 'show', ...at))['identity'].tmux_session_name).toBe(
      launched['tmux_session_name'],
    );
    expect(await refused(['agents', 'show', '--agent-name', 'no-such', ...pair])).toEqual([
      3,
      'unknown_agent',
    ]);
  });

  it('--pair-port prompts, queues, follows and interrupts', async () => {
    await world.until(async () => (await gateway('tui', 'state'))['surface'].ready_posture === 'yes');
    expect((await prompted('agents', 'gateway', 'prompt', '--prompt', 'one'))['sent']).toBe(true);
    const queued = await gateway('requests', 'submit', '--prompt', 'two', '--wait');
    expect(queued['outcome']).toBe('submitted');
    const { requests } = await gateway('requests', 'list');
    expect(requests.length).toBeGreaterThanOrEqual(2);
    expect((await prompted('agents', 'prompt', '--prompt', 'three [[turn=60s]]'))['sent']).toBe(true);
    expect(await world.json('agents', 'interrupt', ...at)).toMatchObject({ request_kind: 'interrupt' });
    expect(world.received(launched['session_root'])).toEqual(['one', 'two', 'three [[turn=60s]]']);
    expect((await gateway('tui', 'history'))['entries'].length).toBeGreaterThan(0);
    const busy = await world.rouse(['agents', 'gateway', 'prompt', '--prompt', 'x', '--model', 'm', ...at]);
    expect([busy.code, busy.stderr]).toEqual([
      2,
      expect.stringContaining('a TUI agent takes no model override'),
    ]);
  });

  it('--pair-port keeps reminders and wakes', async () => {
    const made = await gateway(
      'reminders',
      'create',
      '--title',
      't',
      '--mode',
      'one_off',
      '--prompt',
      'p',
      '--ranking',
      '0',
      '--start-after-seconds',
      '3600',
    );
    const id = made['effective_reminder_id'] as string;
    expect((await gateway('reminders', 'get', '--reminder-id', id))['reminder_id']).toBe(id);
    await gateway('reminders', 'remove', '--reminder-id', id);
    const keys = [
      'agents',
      'gateway',
      'reminders',
      'create',
      '--title',
      't',
      '--mode',
      'one_off',
      '--sequence',
      'x',
      '--ranking',
      '0',
      '--start-after-seconds',
      '3600',
    ];
    expect((await refused([...keys, ...at]))[0]).toBe(6);
    expect((await gateway('mail-notifier', 'enable', '--interval-seconds', '600'))['enabled']).toBe(true);
    expect((await gateway('mail-notifier', 'disable'))['enabled']).toBe(false);
  });

  it('--pair-port sends and reads mail', async () => {
    const mail = (...args: string[]): Promise<Json> => world.json('agents', 'mail', ...args, ...at);
    const { address } = await mail('status');
    await mail('send', '--to', address, '--subject', 'hello', '--body-content', 'x');
    expect((await mail('list'))['messages'].map(({ subject }: Json) => subject)).toEqual(['hello']);
    expect((await mail('resolve-live'))['managed_agent'].mode).toBe('server');
  });

  it('rouse why --pair-port explains through the server, and names the request that announced a message', async () => {
    const [{ message_ref }] = (await world.json('agents', 'mail', 'list', ...at))['messages'];
    await gateway('mail-notifier', 'enable', '--interval-seconds', '600');
    const why = ['why', '--message-ref', message_ref, ...at];
    const { message } = await world.until(async () => {
      const said = await world.json(...why);
      return said['message'].announced_by === null ? undefined : said;
    });
    expect((await world.rouse(why)).stdout).toContain(`announced by request ${message.announced_by}`);
    await gateway('mail-notifier', 'disable');
  });

  it('--pair-port detaches, works on without a gateway, relaunches and stops', async () => {
    expect((await gateway('detach'))['gateway_health']).toBe('not_attached');
    expect((await gateway('status'))['gateway_health']).toBe('not_attached');
    expect(await refused(['agents', 'gateway', 'tui', 'state', ...at])).toEqual([7, 'no_live_gateway']);
    await world.json('agents', 'relaunch', ...at);
    const sent = await prompted('agents', 'prompt', '--prompt', 'bare');
    expect(sent['taken_by']).toBe('terminal');
    expect((await world.json('agents', 'stop', ...at))['action']).toBe('terminate');
    expect(await refused(['agents', 'gateway', 'status', ...at])).toEqual([3, 'unknown_agent']);
    expect(world.tmux('list-sessions')).toBe('');
  });

  it('--pair-port launches a headless agent whose turns the server runs, with its gateway at once', async () => {
    const said = await world.json(
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--headless',
      '--agent-name',
      'cao-run',
      '--no-mailbox',
      '--gateway-auto-attach',
      ...pair,
    );
    expect([said['backend'], said['gateway'].gateway_health]).toEqual(['generic_headless', 'healthy']);
    const run = ['--agent-name', 'cao-run', ...pair];
    const queued = await world.json(
      'agents',
      'gateway',
      'requests',
      'submit',
      '--prompt',
      'go',
      '--wait',
      ...run,
    );
    expect(queued['outcome']).toBe('submitted');
    expect((await world.get('GET', '/agents/cao-run/turns'))['turns'].at(-1)).toMatchObject({
      status: 'completed',
    });
    await world.json('agents', 'stop', ...run);
  });

  it('--pair-port stops an agent whose session a person has renamed', async () => {
    const moved = ['--agent-name', 'moved'];
    const made = await world.json(
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--no-mailbox',
      ...moved,
      ...pair,
    );
    world.tmux('rename-session', '-t', `=${made['tmux_session_name']}`, 'elsewhere');
    expect((await world.json('agents', 'gateway', 'status', ...moved))['tmux_session_name']).toBe(
      'elsewhere',
    );
    expect((await world.json('agents', 'stop', ...moved))['session']).toBe('ended');
    expect(world.tmux('list-sessions')).toBe('');
  });
});

describe('a session that was joined, by way of the server', () => {
  const run = `${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name mine`;
  const join = async (): Promise<void> => {
    if (!world.tmux('list-sessions')) world.tmux('new-session', '-d', '-s', 'mine', '-n', 'my own', run);
    await world.until(() => world.tmux('capture-pane', '-p', '-t', '=mine:0').trim() !== '');
    await world.json('agents', 'join', '--agent-name', 'mine', '--target-tmux-session', 'mine');
  };
  const look = (): string[] => [
    world.tmux('list-panes', '-s', '-t', '=mine:', '-F', '#{window_name} #{pane_pid}'),
    world.tmux('show-environment', '-t', '=mine:'),
  ];

  it('a session joined through the server is left by stop and by leave, and ended only when that is asked for', async () => {
    const mine = ['--agent-name', 'mine', ...pair];
    world.tmux('new-session', '-d', '-s', 'mine', '-n', 'my own', run);
    const before = look();
    await join();
    expect((await world.get('GET', '/agents/mine'))['joined']).toBe(true);
    expect(await world.get('POST', '/agents/mine/stop')).toMatchObject({ session: 'left', action: 'leave' });
    expect(look()).toEqual(before);
    await join();
    expect((await world.json('agents', 'leave', ...mine))['session']).toBe('left');
    expect(look()).toEqual(before);
    await join();
    expect((await world.ask('POST', '/agents/mine/stop', { kill_session: 'yes' })).status).toBe(422);
    expect((await world.json('agents', 'stop', '--kill-session', ...mine))['session']).toBe('ended');
    expect(world.tmux('list-sessions')).toBe('');
  });
});
