import { spawnSync } from 'node:child_process';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ran, TestWorld } from '../support/test-world.ts';

/** One home; agent bob in session "main" of the first server, and a session of that name on a second one. */
let world: TestWorld;
let other: string;
beforeAll(async () => {
  world = new TestWorld();
  other = path.join(world.directory, 'other');
  const flags = ['--tool', 'scripted', '--agent-name', 'bob', '--session-name', 'main', '--no-mailbox'];
  expect((await json(['agents', 'launch', ...flags])).code).toBe(0);
  there('new-session', '-d', '-s', 'main', 'cat');
});
afterAll(async () => {
  there('kill-server');
  await world.close();
});

const json = (args: string[], env: NodeJS.ProcessEnv = {}) => world.rouse(['--print-json', ...args], env);
const there = (...args: string[]): string =>
  spawnSync('tmux', ['-S', other, ...args], { encoding: 'utf8', env: world.env }).stdout.trimEnd();
const screen = () => world.tmux('capture-pane', '-p', '-t', '=main:0');

function insideOther(): NodeJS.ProcessEnv {
  const [pane, pid] = there('display-message', '-p', '-t', '=main:', '#{pane_id} #{pid}').split(' ');
  return { TMUX: `${other},${pid},0`, TMUX_PANE: pane, ROUSE_TMUX_SOCKET: '' };
}

function expectRefusal(said: Ran): void {
  expect([said.code, said.json['error'].cause]).toEqual([4, 'other_tmux_server']);
  expect(said.json['error'].message).toContain(other);
  expect(said.json['error'].message).toContain(world.socket);
}

describe('two tmux servers with sessions of one name', () => {
  it('--target-tmux-session means the one on the server that is spoken to, and types nowhere else', async () => {
    const keys = ['--target-tmux-session', 'main', '--sequence', 'CROSS'];
    expectRefusal(await json(['agents', 'send-keys', ...keys], { ROUSE_TMUX_SOCKET: other }));
    expectRefusal(
      await json(['agents', 'gateway', 'status', ...keys.slice(0, 2)], { ROUSE_TMUX_SOCKET: other }),
    );
    expect(screen()).not.toContain('CROSS');
    expect((await json(['agents', 'gateway', 'status', ...keys.slice(0, 2)])).code).toBe(0);
  });

  it('the session one is in is the one of its own server, whatever its variables lead to', async () => {
    const variable = (name: string) =>
      world.tmux('show-environment', '-t', '=main', name).split('=').slice(1).join('=');
    there('set-environment', '-t', '=main', 'HOUMAO_AGENT_ID', variable('HOUMAO_AGENT_ID'));
    expectRefusal(await json(['agents', 'gateway', 'status'], insideOther()));
    there('set-environment', '-t', '=main', 'HOUMAO_MANIFEST_PATH', variable('HOUMAO_MANIFEST_PATH'));
    expectRefusal(await json(['agents', 'gateway', 'status'], insideOther()));
    expectRefusal(await json(['agents', 'stop', '--current-session'], insideOther()));
    expect((await json(['agents', 'list'])).json['agents']).toMatchObject([{ session: 'running' }]);
  });

  it('an agent that is named is reached on its own server, wherever the caller is', async () => {
    const said = await json(['agents', 'show', '--agent-name', 'bob'], insideOther());
    expect(said.json['tmux']).toMatchObject({ session_name: 'main', socket: world.socket });
    const stopped = await json(['agents', 'stop', '--agent-name', 'bob'], insideOther());
    expect(stopped.json['session']).toBe('ended');
    expect(there('list-sessions', '-F', '#{session_name}')).toBe('main');
  });
});
