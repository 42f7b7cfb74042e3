import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';
import { StandInCao } from './stand-in-cao.ts';
import { SharedTmux, type StandInTerminal } from './stand-in-terminal.ts';

const SESSION = 'HOUMAO-cao-gpu-1775467167530';

let world: TestWorld;
let cao: StandInCao;
let terminal: StandInTerminal;

beforeAll(async () => {
  world = new TestWorld();
  cao = await new StandInCao(new SharedTmux(world.socket, world.env)).start();
  // Window 0 belongs to another program, as when CAO adds terminals to an existing session.
  world.tmux('new-session', '-d', '-s', SESSION, '-x', '120', '-y', '40', 'cat');
  terminal = await cao.terminal({ session: SESSION, directory: world.directory });
});
afterAll(async () => {
  terminal.control.close();
  await cao.stop();
  await world.close();
});

const json = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  world.rouse(['--print-json', ...args], { CAO_PORT: '1', ...env });
const gateway = (...args: string[]) => json(['agents', 'gateway', ...args]);

/** Waits until its gateway knows that it may be disturbed. */
const ready = (name: string): Promise<unknown> =>
  world.until(
    async () =>
      (await gateway('status', '--agent-name', name)).json['terminal_surface_eligibility'] === 'ready',
  );

/** The environment a command has inside the agent's own session. */
async function inside(): Promise<NodeJS.ProcessEnv> {
  const [pane, pid] = (await terminal.fact('#{pane_id} #{pid}')).split(' ');
  return { TMUX: `${world.socket},${pid},0`, TMUX_PANE: pane, ROUSE_TMUX_SOCKET: '' };
}

/** Everything of CAO that must not change. */
const untouched = (): Promise<string> =>
  terminal.fact('#{pane_pipe} #{window_name} #{window_index} #{window_width}x#{window_height} #{pane_pid}');

describe('a terminal of CAO', () => {
  let before: string;

  it('a terminal of CAO is not a fleet server’s: --pair-port says how to join it', async () => {
    before = await untouched();
    const port = ['--pair-port', String(cao.port)];
    const said = await gateway('attach', '--agent-name', 'cao-gpu', ...port);
    expect(said.code).toBe(4);
    expect(said.json['error']).toMatchObject({
      cause: 'not_a_pair_server',
      service: 'cli-agent-orchestrator',
    });
    expect(said.json['error'].hint).toContain('agents join --cao TERMINAL_ID');
  });

  it.each([
    ['not an id', ['--cao', 'nope'], 2],
    ['an id that CAO does not know', ['--cao', 'deadbeef'], 3],
    ['a server that is not there', ['--cao', 'deadbeef', '--cao-url', 'http://127.0.0.1:1'], 7],
    ['a server of another host', ['--cao', 'deadbeef', '--cao-url', 'http://192.0.2.1:9889'], 2],
    ['a session besides', ['--cao', 'deadbeef', '--target-tmux-session', 'x'], 2],
  ])('%s is refused, and nothing is left of it', async (_, flags, code) => {
    const url = flags.includes('--cao-url') ? [] : ['--cao-url', cao.url];
    const said = await json(['agents', 'join', '--agent-name', 'cao-gpu', ...flags, ...url]);
    expect([said.code, said.json['error']?.message]).toEqual([code, expect.any(String)]);
    expect((await json(['agents', 'list'])).json['agents']).toEqual([]);
  });

  it('a terminal of CAO is joined by its id; nothing of CAO’s is renamed, resized, piped or restarted', async () => {
    const said = await json([
      'agents',
      'join',
      '--agent-name',
      'cao-gpu',
      '--cao',
      terminal.id,
      '--cao-url',
      cao.url,
    ]);
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json).toMatchObject({ backend: 'cao_rest', tool: 'scripted', relaunchable: false });
    expect(said.json['tmux_session_name']).toBe(SESSION);
    expect(await untouched()).toBe(before);
    const again = await json([
      'agents',
      'join',
      '--agent-name',
      'two',
      '--cao',
      terminal.id,
      '--cao-url',
      cao.url,
    ]);
    expect([again.code, again.json['error'].cause]).toEqual([4, 'already_managed']);
    const { json: shown } = await json(['agents', 'show', '--agent-name', 'cao-gpu']);
    expect(shown).toMatchObject({ session: 'running', gateway_capability: 'capable' });
    expect(shown['process']).toMatchObject({ tool_running: true });
  });

  it('a terminal of CAO has its gateway in the background; the foreground is refused', async () => {
    const refused = await gateway('attach', '--agent-name', 'cao-gpu', '--foreground');
    expect([refused.code, refused.json['error'].cause]).toEqual([6, 'foreground_unsupported']);
    const said = await gateway('attach', '--agent-name', 'cao-gpu');
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json).toMatchObject({
      gateway_health: 'healthy',
      execution_mode: 'detached_process',
      backend: 'cao_rest',
    });
    expect(said.json['cao']).toMatchObject({ terminal_id: terminal.id, state: 'ok', status_stale: false });
    expect(world.windows(SESSION)).toHaveLength(2);
  });

  it('a terminal of CAO takes prompts through CAO, proven by our own sight', async () => {
    await ready('cao-gpu');
    const said = await json(['agents', 'prompt', '--agent-name', 'cao-gpu', '--prompt', 'hello there']);
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(terminal.submitted()).toEqual(['hello there']);
  });

  it('a terminal of CAO is addressed as the life-cycle page has it, without --pair-port', async () => {
    const target = ['--target-tmux-session', SESSION];
    const keys = ['--sequence', '<[Escape]>'];
    const here = await inside();
    const pressed = (): number => cao.asked.filter((each) => each.endsWith('/key?key=Escape')).length;
    const before = pressed();
    for (const said of [
      await gateway('send-keys', '--agent-name', 'cao-gpu', ...keys),
      await gateway('mail-notifier', 'enable', '--agent-name', 'cao-gpu', '--interval-seconds', '60'),
      await json(['agents', 'gateway', 'attach'], here),
      await json(['agents', 'gateway', 'status'], here),
      await json(['agents', 'gateway', 'send-keys', ...keys], here),
      await json(['agents', 'gateway', 'mail-notifier', 'status'], here),
      await gateway('attach', ...target),
      await gateway('status', ...target),
      await gateway('send-keys', ...target, ...keys),
    ])
      expect([said.code, said.stderr]).toEqual([0, '']);
    expect(pressed() - before).toBe(3);
    const { json: state } = await gateway('tui', 'state', '--agent-name', 'cao-gpu');
    expect(state).toMatchObject({ terminal_id: terminal.id });
  });

  it('keys that CAO cannot press go straight in, and CAO’s own state is reported as old', async () => {
    const said = await gateway(
      'send-keys',
      '--agent-name',
      'cao-gpu',
      '--sequence',
      'ab<[BSpace]><[BSpace]>',
    );
    expect(said.code).toBe(0);
    expect((await gateway('status', '--agent-name', 'cao-gpu')).json['cao']).toMatchObject({
      status_stale: true,
    });
  });

  it('a terminal of CAO takes reminders with prompts, and refuses those with keys', async () => {
    const keys = ['--title', 'k', '--mode', 'one_off', '--sequence', '<[Escape]>', '--ranking', '0'];
    const refused = await gateway(
      'reminders',
      'create',
      '--agent-name',
      'cao-gpu',
      ...keys,
      '--start-after-seconds',
      '60',
    );
    expect(refused.code).toBe(6);
    expect(refused.json['error'].message).toContain('cannot keep tmux key semantics');
  });

  it('a terminal of CAO is interrupted with Escape through CAO, never with its exit', async () => {
    await ready('cao-gpu');
    const escapes = () => cao.asked.filter((each) => each.endsWith('key=Escape')).length;
    const escapesBefore = escapes();
    const asked = await json(['agents', 'prompt', '--agent-name', 'cao-gpu', '--prompt', '[[hang]] long']);
    expect([asked.code, asked.stderr]).toEqual([0, '']);
    const said = await json(['agents', 'interrupt', '--agent-name', 'cao-gpu']);
    expect(said.code).toBe(0);
    await world.until(() => escapes() > escapesBefore);
    await terminal.shows(/Interrupted/);
    expect(cao.asked.some((each) => each.includes('/exit'))).toBe(false);
  });

  it('a terminal of CAO is not relaunched, nor ended: stop leaves it as it was found', async () => {
    const again = await json(['agents', 'relaunch', '--agent-name', 'cao-gpu']);
    expect([again.code, again.json['error'].cause]).toEqual([6, 'not_relaunchable']);
    const kill = await json(['agents', 'stop', '--agent-name', 'cao-gpu', '--kill-session']);
    expect([kill.code, kill.json['error'].cause]).toEqual([6, 'owned_by_cao']);
    const said = await json(['agents', 'stop', '--agent-name', 'cao-gpu']);
    expect([said.code, said.json['session']]).toEqual([0, 'left']);
    expect(await untouched()).toBe(before);
    expect(world.tmux('show-environment', '-t', `=${SESSION}:`)).not.toMatch(
      /HOUMAO_(MANIFEST|AGENT|GATEWAY)/,
    );
    expect(world.tmux('show-options', '-w', '-t', terminal.target)).not.toContain('HOUMAO');
  });

  it('a terminal of CAO can be joined beside others of its session, each with a gateway, a mailbox and prompts of its own', async () => {
    const worker = await cao.terminal({ session: SESSION, directory: world.directory });
    try {
      for (const [name, { id }] of [
        ['lead', terminal],
        ['worker', worker],
      ] as const) {
        const joined = await json([
          'agents',
          'join',
          '--agent-name',
          name,
          '--cao',
          id,
          '--cao-url',
          cao.url,
        ]);
        expect([name, joined.code, joined.stderr]).toEqual([name, 0, '']);
        const attached = await gateway('attach', '--agent-name', name);
        expect([name, attached.code, attached.json['cao']?.terminal_id]).toEqual([name, 0, id]);
      }
      const listed = (await json(['ls'])).json['agents'] as { name: string; gateway: string }[];
      expect(listed.map((each) => [each.name, each.gateway])).toEqual([
        ['lead', 'live'],
        ['worker', 'live'],
      ]);
      for (const name of ['lead', 'worker']) {
        await ready(name);
        const said = await json(['agents', 'prompt', '--agent-name', name, '--prompt', `for the ${name}`]);
        expect([name, said.code, said.stderr]).toEqual([name, 0, '']);
      }
      expect(terminal.submitted().at(-1)).toBe('for the lead');
      expect(worker.submitted()).toEqual(['for the worker']);
      // Inside a window it is that window's agent, whatever else is in the session.
      const [pane, pid] = (await worker.fact('#{pane_id} #{pid}')).split(' ');
      const there = { TMUX: `${world.socket},${pid},0`, TMUX_PANE: pane, ROUSE_TMUX_SOCKET: '' };
      expect((await json(['agents', 'show'], there)).json['agent_name']).toBe('worker');
      const named = await json(['agents', 'show', '--target-tmux-session', SESSION]);
      expect([named.code, named.json['error']?.cause]).toEqual([4, 'ambiguous']);
      expect((await json(['agents', 'leave', '--agent-name', 'worker'])).code).toBe(0);
      expect((await gateway('status', '--agent-name', 'lead')).json['gateway_health']).toBe('healthy');
      expect((await json(['agents', 'leave', '--agent-name', 'lead'])).code).toBe(0);
      expect(await untouched()).toBe(before);
    } finally {
      worker.control.close();
    }
  });

  it('only CAO made, ended and typed into its terminal: these are all routes that were called', () => {
    const routes = cao.asked.map((each) =>
      each.replace(/\/[a-f0-9]{8}/, '/ID').replace(/\?(key|message)=.*/, ''),
    );
    expect([...new Set(routes)].sort()).toEqual([
      'GET /health',
      'GET /openapi.json',
      'GET /terminals/ID',
      'GET /terminals/ID/inbox/messages?status=pending&limit=1',
      'POST /terminals/ID/input',
      'POST /terminals/ID/key',
    ]);
  });
});
