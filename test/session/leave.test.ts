import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyProcess, isProcessAlive } from '../../src/base/index.ts';
import { besideOf } from '../../src/wire/index.ts';
import { GATEWAY_MODES, MODE_FLAGS, modeFlag } from '../support/gateway-mode.ts';
import { sampled } from '../support/sample.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

let world: TestWorld;
let person: string;
beforeAll(() => {
  world = new TestWorld({ tmuxConfig: 'set -g automatic-rename on\nset -g base-index 0\n' });
  person = path.join(world.directory, 'person');
});
afterAll(async () => {
  try {
    execFileSync('tmux', ['-S', person, 'kill-server'], { stdio: 'ignore' });
  } catch {}
  await world.close();
});

const json = (args: string[], env: NodeJS.ProcessEnv = {}) => world.rouse(['--print-json', ...args], env);

/** A person's own session: a tool in window 0, and other windows, panes, variables, options and a hook. */
async function personsSession(session: string): Promise<void> {
  const tool = `${process.execPath} ${path.join(ROOT, 'dist/scripted-agent.cjs')} --name ${session}`;
  const at = `=${session}:`;
  world.tmux('new-session', '-d', '-s', session, '-x', '120', '-y', '40', `sh -c '${tool}; exec sh'`);
  world.tmux('set-environment', '-t', at, 'MINE', 'a b=c');
  world.tmux('set-environment', '-t', at, 'HOUMAO_GATEWAY_ROOT', '/of/mine');
  world.tmux('set-environment', '-t', at, '-r', 'HOUMAO_AGENT_GATEWAY_HOST');
  world.tmux('set-option', '-t', at, 'status-left', 'mine');
  world.tmux('set-hook', '-t', at, 'window-renamed', 'display-message renamed');
  world.tmux('new-window', '-d', '-t', at, '-n', 'logs #1', 'exec cat');
  world.tmux('split-window', '-d', '-t', `${at}1`, 'exec sleep 1000');
  world.tmux('new-window', '-d', '-t', at, 'exec cat');
  await world.until(() => world.tmux('capture-pane', '-p', '-t', `${at}0`).trim() !== '');
  // tmux updates a window's name only when something is drawn in it.
  await world.until(() => {
    world.tmux('send-keys', '-t', `${at}2`, 'Enter');
    return world.windows(session)[2] === '2 cat';
  });
}

/** Everything by which a person would notice a difference in the session. */
function portrait(session: string): Record<string, string> {
  const at = `=${session}:`;
  const ids = world.tmux('list-windows', '-t', at, '-F', '#{window_id}').split('\n');
  return {
    windows: world.tmux(
      'list-windows',
      '-t',
      at,
      '-F',
      '#{window_index} #{window_id} #{window_name} #{window_layout}',
    ),
    panes: world.tmux('list-panes', '-s', '-t', at, '-F', '#{pane_id} #{pane_pid} #{pane_start_command}'),
    variables: world.tmux('show-environment', '-t', at),
    options: world.tmux('show-options', '-t', at),
    hooks: world.tmux('show-hooks', '-t', at),
    current: world.tmux('display-message', '-p', '-t', at, '#{window_id} #{pane_id}'),
    ofWindows: ids.map((id) => `${id}\n${world.tmux('show-options', '-w', '-t', id)}`).join('\n'),
  };
}

const join = (session: string) =>
  json(['agents', 'join', '--agent-name', session, '--target-tmux-session', session]);
const attach = (session: string, mode = modeFlag('tmux_auxiliary_window')) =>
  json(['agents', 'gateway', 'attach', '--agent-name', session, mode]);
const gateways = () => world.processes().filter(({ words }) => /--gateway-root|--rouse-home/.test(words));

/** Attaches a client to the session, like a person. */
async function attachPerson(session: string): Promise<void> {
  const { TMUX: _, ...env } = world.env;
  const look = `tmux -S ${world.socket} attach -t =${session}`;
  execFileSync('tmux', ['-S', person, '-f', '/dev/null', 'new-session', '-d', '-s', session, look], { env });
  await world.until(() => world.tmux('list-clients', '-t', `=${session}`, '-F', '#{client_tty}') !== '');
}

describe('stop of a joined session', () => {
  it.each(GATEWAY_MODES)(
    'stop of a joined session with its gateway as %s gives it back with every window, process, variable and option',
    async (mode) => {
      const session = MODE_FLAGS[mode].slice(2);
      const watched = mode === 'tmux_auxiliary_window';
      await personsSession(session);
      if (watched) await attachPerson(session);
      const before = portrait(session);
      expect((await join(session)).code).toBe(0);
      expect((await attach(session, MODE_FLAGS[mode])).json['gateway_health']).toBe('healthy');
      expect(portrait(session)).not.toEqual(before);
      const said = await json(['agents', 'stop', '--agent-name', session]);
      expect([said.code, said.json['session'], said.json['action'], said.json['notes']]).toEqual([
        0,
        'left',
        'leave',
        [],
      ]);
      expect(portrait(session)).toEqual(before);
      await world.until(() => gateways().length === 0);
      expect((await json(['agents', 'list'])).json['agents']).toEqual([]);
      const again = await json(['agents', 'stop', '--agent-name', session]);
      expect([again.code, again.json['error'].cause]).toEqual([3, 'stopped']);
      expect(again.json['error'].message).toContain('was left');
      expect(portrait(session)).toEqual(before);
    },
  );

  it('stop of a joined session leaves the names of windows alone, and puts back the one an earlier version gave', async () => {
    await personsSession('named');
    world.tmux('rename-window', '-t', '=named:0', 'my tool');
    const before = portrait('named');
    const joined = await join('named');
    expect(world.windows('named')[0]).toBe('0 my tool');
    const file = besideOf(joined.json['manifest_path']);
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'));
    delete manifest.tmux.before_join.renamed;
    fs.writeFileSync(file, JSON.stringify(manifest));
    world.tmux('rename-window', '-t', '=named:0', 'agent');
    const said = await world.rouse(['agents', 'stop', '--agent-name', 'named']);
    expect(said.stdout).toMatch(/^named: left: its tmux session and its tool go on/);
    expect(portrait('named')).toEqual(before);
  });

  it.each(sampled(import.meta.filename, ['session.leave.detached', 'session.leave.put_back'], 1))(
    'killed at %s can be repeated',
    async (point) => {
      const session = point.replaceAll('.', '-');
      await personsSession(session);
      const before = portrait(session);
      await join(session);
      await attach(session);
      const killed = await json(['agents', 'stop', '--agent-name', session], { ROUSE_CRASH_AT: point });
      expect(killed.code).toBe(-1);
      const said = await json(['agents', 'stop', '--agent-name', session]);
      expect([said.code, said.json['session']]).toEqual([0, 'left']);
      expect(portrait(session)).toEqual(before);
      expect((await json(['agents', 'list'])).json['agents']).toEqual([]);
    },
  );

  it('two stops of a joined session at once are done once', async () => {
    await personsSession('twice');
    const before = portrait('twice');
    await join('twice');
    await attach('twice');
    const said = await Promise.all([1, 2, 3].map(() => json(['agents', 'stop', '--agent-name', 'twice'])));
    expect(said.some(({ code }) => code === 0)).toBe(true);
    expect(said.every(({ code }) => code === 0 || code === 3)).toBe(true);
    expect(portrait('twice')).toEqual(before);
  });

  it('stop of a joined session whose tool has ended leaves the shell, and one that is gone is cleared', async () => {
    await personsSession('shell');
    await join('shell');
    world.tmux('send-keys', '-t', '=shell:0', 'C-c', 'C-c', 'C-d');
    const pid = Number(world.tmux('display-message', '-p', '-t', '=shell:0', '#{pane_pid}'));
    expect((await json(['agents', 'stop', '--agent-name', 'shell'])).json['session']).toBe('left');
    expect(isProcessAlive(identifyProcess(pid)!)).toBe(true);
    await personsSession('vanished');
    await join('vanished');
    world.tmux('kill-session', '-t', '=vanished');
    expect((await json(['agents', 'stop', '--agent-name', 'vanished'])).json['session']).toBe('gone');
  });

  it('stop of a joined session ends the session with --kill-session, and only it: a window that hangs elsewhere too lives on', async () => {
    await personsSession('ended');
    await personsSession('kept');
    world.tmux('link-window', '-d', '-s', '=ended:1', '-t', '=kept:7');
    const pane = (at: string) => Number(world.tmux('display-message', '-p', '-t', at, '#{pane_pid}'));
    const [tool, linked] = [identifyProcess(pane('=ended:0'))!, identifyProcess(pane('=kept:7'))!];
    const kept = portrait('kept');
    await join('ended');
    const said = await json(['agents', 'stop', '--agent-name', 'ended', '--kill-session']);
    expect([said.code, said.json['session'], said.json['action']]).toEqual([0, 'ended', 'terminate']);
    expect([isProcessAlive(tool), isProcessAlive(linked)]).toEqual([false, true]);
    expect(world.tmux('list-sessions', '-F', '#{session_name}').split('\n')).not.toContain('ended');
    expect(portrait('kept')).toEqual(kept);
  });
});

describe('leave', () => {
  it('leave refuses an agent that was launched, and says what to do', async () => {
    const launched = await json([
      'agents',
      'launch',
      '--tool',
      'scripted',
      '--agent-name',
      'made',
      '--no-mailbox',
    ]);
    expect(launched.code).toBe(0);
    const said = await json(['agents', 'leave', '--agent-name', 'made']);
    expect([said.code, said.json['error'].cause]).toEqual([4, 'not_joined']);
    expect(said.json['error'].hint).toContain('rouse agents stop --agent-name made');
    const stopped = await json(['agents', 'stop', '--agent-name', 'made']);
    expect([stopped.json['session'], stopped.json['action']]).toEqual(['ended', 'terminate']);
  });

  it('leave of a session that Rouse had to make again is not possible any more: it is its own now', async () => {
    await personsSession('revived');
    const flags = ['--target-tmux-session', 'revived', '--launch-args=--name', '--launch-args=revived'];
    expect((await json(['agents', 'join', '--agent-name', 'revived', ...flags])).code).toBe(0);
    world.tmux('kill-session', '-t', '=revived');
    expect((await json(['agents', 'relaunch', '--agent-name', 'revived'])).json['revived']).toBe(true);
    expect((await json(['agents', 'leave', '--agent-name', 'revived'])).json['error'].cause).toBe(
      'not_joined',
    );
    expect((await json(['agents', 'stop', '--agent-name', 'revived'])).json['session']).toBe('ended');
  });

  it('a join that fails half-way leaves the session as it was', async () => {
    await personsSession('half');
    const before = portrait('half');
    fs.mkdirSync(path.join(world.directory, 'home/registry/live_agents'), { recursive: true });
    const lock = path.join(world.directory, 'home/registry/registry.lock');
    fs.rmSync(lock, { force: true });
    fs.mkdirSync(lock);
    const said = await join('half');
    fs.rmdirSync(lock);
    expect(said.code).not.toBe(0);
    expect(portrait('half')).toEqual(before);
  });
});
