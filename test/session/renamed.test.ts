import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modeFlag } from '../support/gateway-mode.ts';
import { TestWorld } from '../support/test-world.ts';

const MODE = modeFlag('tmux_auxiliary_window');

let world: TestWorld;
let root: string;
beforeAll(async () => {
  world = new TestWorld();
  const said = await json(['agents', 'launch', '--tool', 'scripted', '--agent-name', 'gpu', '--no-mailbox']);
  root = said.json['session_root'];
  world.tmux('rename-session', '-t', `=${said.json['tmux_session_name']}`, 'my work');
});
afterAll(async () => {
  await world.close();
});

const json = (args: string[], env: NodeJS.ProcessEnv = {}) => world.rouse(['--print-json', ...args], env);
const tools = () => world.processes().filter(({ words }) => /scripted-agent/.test(words));
const recorded = () => JSON.parse(fs.readFileSync(`${root}/manifest.json`, 'utf8')).tmux_session_name;
const rename = (from: string, to: string) => world.tmux('rename-session', '-t', `=${from}`, to);

describe('an agent whose tmux session was renamed', () => {
  it('an agent whose tmux session was renamed is listed as running, under its new name', async () => {
    const { agents } = (await json(['agents', 'list'])).json;
    expect(agents).toMatchObject([{ session: 'running', tmux_session_name: 'my work' }]);
    expect(recorded()).toBe('my work');
  });

  it.each([
    ['status', ['gateway', 'status']],
    ['show', ['show']],
  ])('%s shows the new name of a renamed tmux session', async (command, words) => {
    rename('my work', `for-${command}`);
    const said = await json(['agents', ...words, '--agent-name', 'gpu']);
    expect([said.code, said.json['notes'] ?? []]).toEqual([0, []]);
    expect(said.json['tmux_session_name'] ?? said.json['tmux'].session_name).toBe(`for-${command}`);
    rename(`for-${command}`, 'my work');
  });

  it('an agent whose tmux session was renamed is found by that name, and not by the old one', async () => {
    rename('my work', 'third');
    const found = await json(['agents', 'gateway', 'status', '--target-tmux-session', 'third']);
    expect([found.code, found.json['tmux_session_name']]).toEqual([0, 'third']);
    const old = await json(['agents', 'gateway', 'status', '--target-tmux-session', 'my work']);
    expect(old.code).toBe(3);
  });

  it('an agent whose tmux session was renamed is prompted without a gateway, attached, and served on when it is renamed under its gateway', async () => {
    rename('third', 'fourth');
    const direct = await json(['agents', 'prompt', '--agent-name', 'gpu', '--prompt', 'one']);
    expect([direct.code, direct.json['outcome'] ?? direct.json]).toEqual([0, 'submitted']);
    rename('fourth', 'fifth');
    const attached = await json(['agents', 'gateway', 'attach', MODE, '--agent-name', 'gpu']);
    expect([attached.code, attached.json['tmux_session_name']]).toEqual([0, 'fifth']);
    rename('fifth', 'sixth');
    const status = await json(['agents', 'gateway', 'status', '--agent-name', 'gpu']);
    expect(status.json).toMatchObject({ gateway_health: 'healthy', tmux_session_name: 'sixth' });
    const { gateway_port: port } = status.json;
    const own = () => fetch(`http://127.0.0.1:${port}/v1/status`).then((answer) => answer.json());
    await expect.poll(own).toMatchObject({ tmux_session_name: 'sixth' });
    const mirror = () => JSON.parse(fs.readFileSync(`${root}/gateway/state.json`, 'utf8'));
    await expect.poll(mirror).toMatchObject({ tmux_session_name: 'sixth' });
    const submit = ['requests', 'submit', '--agent-name', 'gpu', '--prompt', 'two', '--wait'];
    const queued = await json(['agents', 'gateway', ...submit]);
    expect([queued.code, queued.json['outcome']]).toEqual([0, 'submitted']);
    expect((await json(['agents', 'gateway', 'detach', '--agent-name', 'gpu'])).code).toBe(0);
    expect(world.windows('sixth')).toEqual(['0 agent']);
  });

  it('an agent whose tmux session was renamed is relaunched where it is: there is one tool', async () => {
    rename('sixth', 'seventh');
    const said = await json(['agents', 'relaunch', '--agent-name', 'gpu']);
    expect([said.code, said.json['revived'], said.json['tmux_session_name']]).toEqual([0, false, 'seventh']);
    expect(tools()).toHaveLength(1);
  });

  it('an agent whose tmux session was renamed is not relaunched into a second tool, even when the session no longer says whose it is', async () => {
    rename('seventh', 'eighth');
    const pointer = world.tmux('show-environment', '-t', '=eighth', 'HOUMAO_MANIFEST_PATH').split('=')[1]!;
    world.tmux('set-environment', '-t', '=eighth', '-u', 'HOUMAO_MANIFEST_PATH');
    const said = await json(['agents', 'relaunch', '--agent-name', 'gpu']);
    expect([said.code, said.json['error'].cause]).toEqual([4, 'tool_running']);
    expect(said.json['error'].message).toContain('"eighth"');
    expect(tools()).toHaveLength(1);
    world.tmux('set-environment', '-t', '=eighth', 'HOUMAO_MANIFEST_PATH', pointer);
  });

  it('an agent whose tmux session was renamed whose old name another session took is not confused with that one', async () => {
    world.tmux('new-session', '-d', '-s', 'seventh', 'cat');
    rename('eighth', 'ninth');
    const { agents } = (await json(['agents', 'list'])).json;
    expect(agents).toMatchObject([{ session: 'running', tmux_session_name: 'ninth' }]);
    const said = await json(['agents', 'stop', '--agent-name', 'gpu']);
    expect([said.code, said.json['session']]).toEqual([0, 'ended']);
    expect(world.tmux('list-sessions', '-F', '#{session_name}')).toBe('seventh');
    expect(tools()).toEqual([]);
  });
});
