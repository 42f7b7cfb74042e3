import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modeFlag } from '../support/gateway-mode.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(async () => {
  await world.close();
});

const json = (args: string[], env: NodeJS.ProcessEnv = {}) => world.rouse(['--print-json', ...args], env);

/** A tool that was started by hand, below a shell. */
async function byHand(session: string): Promise<void> {
  const tool = `${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name ${session}`;
  world.tmux('new-session', '-d', '-s', session, '-c', world.workdir, `sh -c '${tool}; exec sh'`);
  await world.until(() => world.tmux('capture-pane', '-p', '-t', `=${session}:0`).trim() !== '');
}

/** The environment of a command inside a pane of this session. */
function inside(session: string): NodeJS.ProcessEnv {
  const [pane, pid] = world
    .tmux('display-message', '-p', '-t', `=${session}:`, '#{pane_id} #{pid}')
    .split(' ');
  return { TMUX: `${world.socket},${pid},0`, TMUX_PANE: pane, ROUSE_TMUX_SOCKET: '' };
}

describe('join', () => {
  it('join adopts the tool that runs in window 0; nothing is restarted or renamed', async () => {
    await byHand('mine');
    const window = () => world.tmux('display-message', '-p', '-t', '=mine:', '#{pane_pid} #{window_name}');
    const before = window();
    const said = await json(['agents', 'join', '--agent-name', 'mine'], inside('mine'));
    expect([said.code, said.stderr]).toEqual([0, '']);
    expect(said.json).toMatchObject({ tool: 'scripted', relaunchable: false, tmux_session_name: 'mine' });
    expect(said.json['session_id']).toMatch(/^joined-local_interactive-/);
    expect(window()).toBe(before);
    const { agents } = (await json(['agents', 'list'])).json;
    const days = (Date.parse(agents[0].lease_expires_at) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(29);
  });

  it('join makes it controllable and not relaunchable without launch options', async () => {
    const status = await json([
      'agents',
      'gateway',
      'attach',
      '--agent-name',
      'mine',
      modeFlag('detached_process'),
    ]);
    expect(status.json['gateway_health']).toBe('healthy');
    const refused = await json(['agents', 'relaunch', '--agent-name', 'mine']);
    expect([refused.code, refused.json['error'].cause]).toEqual([6, 'not_relaunchable']);
    await json(['agents', 'gateway', 'detach', '--agent-name', 'mine']);
  });

  it('join refuses a session that is an agent already', async () => {
    const said = await json(['agents', 'join', '--agent-name', 'again'], inside('mine'));
    expect([said.code, said.json['error'].cause]).toEqual([4, 'already_managed']);
  });

  it('join takes a flat file as the mailbox, and refuses one whose place cannot hold it', async () => {
    await byHand('flat');
    const join = (file: string) =>
      json(['agents', 'join', '--agent-name', 'flat', '--mailbox-root', file], inside('flat'));
    const inbox = path.join(world.workdir, 'app', '.agent', 'inbox.md');
    expect((await join(inbox)).code).toBe(3);
    fs.mkdirSync(inbox, { recursive: true });
    expect((await join(inbox)).code).toBe(2);
    fs.rmdirSync(inbox);
    expect((await join(inbox)).code).toBe(0);
    const { json: agent } = await json(['agents', 'show', '--agent-name', 'flat']);
    expect(agent['mailbox']).toMatchObject({
      transport: 'flatfile',
      address: 'flat@houmao.localhost',
      mailbox_path: path.dirname(inbox),
    });
  });

  it('join with launch options makes it relaunchable', async () => {
    await byHand('two');
    const flags = ['--target-tmux-session', 'two', '--launch-args=--name', '--launch-args=two'];
    const said = await json(['agents', 'join', '--agent-name', 'two', ...flags]);
    expect([said.code, said.json['relaunchable']]).toEqual([0, true]);
    expect((await json(['agents', 'relaunch', '--agent-name', 'two'])).code).toBe(0);
    expect((await json(['agents', 'show', '--agent-name', 'two'])).json['process'].tool_running).toBe(true);
  });

  it('headless needs a provider, launch arguments and no tool with a screen', async () => {
    world.tmux('new-session', '-d', '-s', 'bare', '-c', world.workdir, 'sh');
    const join = (...flags: string[]) =>
      json(['agents', 'join', '--agent-name', 'bare', '--headless', '--target-tmux-session', ...flags]);
    expect((await join('bare')).code).toBe(2);
    expect((await join('bare', '--provider', 'claude_code')).code).toBe(2);
    await byHand('busy');
    expect((await join('busy', '--provider', 'scripted', '--launch-args=--words')).json['error'].cause).toBe(
      'tool_running',
    );
    const said = await join(
      'bare',
      '--provider',
      'codex',
      '--launch-args=--model',
      '--launch-args=x',
      '--resume-id',
      'last',
    );
    expect([said.code, said.json['backend']]).toEqual([0, 'codex_headless']);
  });

  it.each([
    ['outside tmux', [], {}, 2],
    ['a session that is not there', ['--target-tmux-session', 'nobody'], {}, 3],
    ['an unknown provider', ['--target-tmux-session', 'busy', '--provider', 'x'], {}, 2],
    ['a bad variable', ['--target-tmux-session', 'busy', '--launch-env', '1=2'], {}, 2],
  ])('%s is refused', async (_, flags, env, code) => {
    expect((await json(['agents', 'join', '--agent-name', 'n', ...flags], env)).code).toBe(code);
  });

  it('a session without a known tool is refused, and one without window 0', async () => {
    world.tmux('new-session', '-d', '-s', 'shell', 'sh');
    const said = await json(['agents', 'join', '--agent-name', 'n', '--target-tmux-session', 'shell']);
    expect([said.code, said.json['error'].cause]).toEqual([3, 'no_tool']);
    world.tmux('move-window', '-s', '=shell:0', '-t', '=shell:5');
    expect((await json(['agents', 'join', '--agent-name', 'n', '--target-tmux-session', 'shell'])).code).toBe(
      2,
    );
  });
});

describe('join of another pane', () => {
  it('join of another pane takes the pane that is given, types into it alone, and refuses when it is gone', async () => {
    await byHand('many');
    const transcript = path.join(world.directory, 'many.jsonl');
    const tool = `${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name third --transcript ${transcript}`;
    world.tmux('new-window', '-d', '-t', '=many:3', 'exec cat');
    world.tmux('split-window', '-d', '-t', '=many:3', `exec ${tool}`);
    await world.until(() => world.tmux('capture-pane', '-p', '-t', '=many:3.1').trim() !== '');
    const words = ['agents', 'join', '--agent-name', 'third', '--target-tmux-session', 'many', '--pane'];
    const cat = await json([...words, '3']);
    expect([cat.code, cat.json['error'].cause]).toEqual([3, 'no_tool']);
    expect(cat.json['error'].hint).toMatch(
      /scripted in 0\.0 \(%\d+\), scripted in 3\.1 \(%\d+\); choose one with --pane/,
    );
    expect((await json([...words, '4'])).code).toBe(3);
    expect((await json([...words, 'left'])).code).toBe(2);
    const said = await json([...words, '3.1', '--wake']);
    expect([said.code, said.stderr]).toEqual([0, '']);
    const { json: agent } = await json(['agents', 'show', '--agent-name', 'third']);
    expect(agent['tmux'].pane_id).toBe(world.tmux('display-message', '-p', '-t', '=many:3.1', '#{pane_id}'));
    const prompt = ['--prompt', 'only for the third'];
    const sent = await json(['agents', 'gateway', 'requests', 'submit', '--agent-name', 'third', ...prompt]);
    expect(sent.code).toBe(0);
    await world.until(
      () => fs.existsSync(transcript) && fs.readFileSync(transcript, 'utf8').includes('only for the third'),
    );
    expect(world.tmux('capture-pane', '-p', '-S', '-', '-t', '=many:0')).not.toContain('only for the third');
    expect(world.tmux('capture-pane', '-p', '-S', '-', '-t', '=many:3.0')).not.toContain(
      'only for the third',
    );
    world.tmux('kill-pane', '-t', agent['tmux'].pane_id);
    await world.until(async () => {
      const { json: status } = await json(['agents', 'gateway', 'status', '--agent-name', 'third']);
      return status['managed_agent_connectivity'] === 'unavailable';
    });
    expect((await json(['agents', 'leave', '--agent-name', 'third'])).code).toBe(0);
    expect(world.windows('many').map((each) => each.split(' ')[0])).toEqual(['0', '3']);
  });

  it('a pane id is enough, wherever the command runs', async () => {
    await byHand('far');
    const id = world.tmux('display-message', '-p', '-t', '=far:0', '#{pane_id}');
    const words = ['agents', 'join', '--agent-name', 'far', '--pane'];
    expect((await json([...words, '%4711'])).code).toBe(3);
    const said = await json([...words, id]);
    expect([said.code, said.stderr, said.json['tmux_session_name']]).toEqual([0, '', 'far']);
    expect((await json(['agents', 'leave', '--agent-name', 'far'])).code).toBe(0);
  });
});

describe('which agent, in real tmux', () => {
  it('inside its session no selector is needed', async () => {
    const said = await json(['agents', 'gateway', 'status'], inside('mine'));
    expect(said.json['tmux_session_name']).toBe('mine');
    const explicit = await json(['agents', 'gateway', 'status', '--current-session'], inside('mine'));
    expect(explicit.json['tmux_session_name']).toBe('mine');
  });

  it('a stale pointer falls back to the agent id and its fresh record', async () => {
    const pointer = world.tmux('show-environment', '-t', '=mine', 'HOUMAO_MANIFEST_PATH').split('=')[1]!;
    world.tmux('set-environment', '-t', '=mine', 'HOUMAO_MANIFEST_PATH', '/gone/manifest.json');
    expect((await json(['agents', 'gateway', 'status'], inside('mine'))).json['tmux_session_name']).toBe(
      'mine',
    );
    world.tmux('set-environment', '-t', '=mine', '-u', 'HOUMAO_AGENT_ID');
    const refused = await json(['agents', 'gateway', 'status'], inside('mine'));
    expect([refused.code, refused.json['error'].cause]).toEqual([3, 'stale_pointer']);
    const outside = await json(['agents', 'gateway', 'status', '--target-tmux-session', 'mine']);
    expect(outside.json['tmux_session_name']).toBe('mine');
    world.tmux('set-environment', '-t', '=mine', 'HOUMAO_MANIFEST_PATH', pointer);
  });

  it('the manifest of another session is refused', async () => {
    const other = world.tmux('show-environment', '-t', '=two', 'HOUMAO_MANIFEST_PATH').split('=')[1]!;
    world.tmux('set-environment', '-t', '=shell', 'HOUMAO_MANIFEST_PATH', other);
    const refused = await json(['agents', 'gateway', 'status', '--target-tmux-session', 'shell']);
    expect([refused.code, refused.json['error'].cause]).toEqual([3, 'stale_pointer']);
  });

  it.each([
    ['nobody', ['--agent-name', 'nobody']],
    ['a prefix of a name', ['--agent-name', 'min']],
    ['a prefix of a session', ['--target-tmux-session', 'min']],
  ])('%s is not found', async (_, flags) => {
    expect((await json(['agents', 'gateway', 'status', ...flags])).code).toBe(3);
  });
});
