import { type ChildProcess, spawn } from 'node:child_process';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readIfExists } from '../../src/base/index.ts';
import { type ManifestFacts, sessionPaths } from '../../src/session/index.ts';
import { drawSeed } from '../support/draw-seed.ts';
import { GATEWAY_MODES, MODE_FLAGS, modeFlag } from '../support/gateway-mode.ts';
import { Seeded } from '../support/seeded.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

/**
 * SIGKILL of the command, the gateway, the tool or the tmux server at random points of attach and detach. After each
 * the status must be right within two seconds, attaching must work again, window 0 must exist, and nothing may be
 * left behind. ROUSE_PROOF=full runs it 200 times; ROUSE_SEED repeats a run.
 */
const RUNS = process.env['ROUSE_PROOF'] === 'full' ? 200 : 4;
const SEED = drawSeed();
const RIGHT_WITHIN_MS = 2000;
/** Two seconds are for an otherwise idle machine; the short form runs beside other tests. */
const SLOWNESS = process.env['ROUSE_PROOF'] === 'full' ? 1 : 5;

type Victim = 'command' | 'gateway' | 'tool' | 'tmux';
const VICTIMS: Victim[] = ['gateway', 'command', 'tool', 'gateway', 'tmux', 'command', 'gateway', 'tool'];

let world: TestWorld;
let facts: ManifestFacts;
let session: string;

beforeAll(async () => {
  world = new TestWorld();
  facts = await world.launch('gpu');
  session = facts.tmuxSessionName;
});
afterAll(async () => {
  const stopped = await json('agents', 'stop', '--agent-name', 'gpu');
  expect(stopped.code).toBe(0);
  await world.until(() => world.processes().length === 0);
  expect(world.readableByOthers()).toEqual([]);
  expect(await world.close()).toEqual([]);
});

const json = (...args: string[]) => world.rouse(['--print-json', ...args]);
/** Gateways, and the host that they may share; a host started by a killed command may hold none. */
const programs = () => world.processes().filter(({ words }) => /--gateway-root|--rouse-home/.test(words));
const recorded = (): unknown => {
  const text = readIfExists(sessionPaths(facts.root).currentInstance);
  return text && JSON.parse(text).pid;
};
const gateways = () =>
  programs().filter(({ pid, words }) => words.includes('--gateway-root') || pid === recorded());
const agent = ['--agent-name', 'gpu'];

function begin(...args: string[]): ChildProcess {
  return spawn(process.execPath, [path.join(ROOT, 'dist/rouse.cjs'), ...args], {
    cwd: world.workdir,
    env: world.env,
    stdio: 'ignore',
  });
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

/** Kills the process of this run. False if it was not there at that moment. */
function kill(victim: Victim, command: ChildProcess): boolean {
  if (victim === 'command') return command.kill('SIGKILL');
  const pid =
    victim === 'gateway'
      ? programs()[0]?.pid
      : victim === 'tmux'
        ? Number(world.tmux('display-message', '-p', '#{pid}'))
        : world.processes().find(({ words }) => words.startsWith('scripted-agent'))?.pid;
  if (!pid) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

const windowZero = (): string =>
  world.tmux('display-message', '-p', '-t', `=${session}:0`, '#{window_id} #{window_name}');

/**
 * Never healthy without a gateway, and soon healthy with one: within two seconds the status is
 * right. The gateway of a killed command may still be starting; then either status is accepted.
 */
async function statusIsRight(): Promise<void> {
  const started = performance.now();
  for (;;) {
    const said = await json('agents', 'gateway', 'status', ...agent);
    const there = gateways().length > 0;
    expect([said.code, said.stderr]).toEqual([0, '']);
    const healthy = said.json['gateway_health'] === 'healthy';
    if (!healthy) expect(said.json).toMatchObject({ gateway_health: 'not_attached', gateway_port: null });
    if (healthy === there) return;
    expect(performance.now() - started).toBeLessThan(RIGHT_WITHIN_MS * SLOWNESS);
  }
}

async function recover(victim: Victim): Promise<void> {
  if (victim === 'tool' || victim === 'tmux') {
    const said = await json('agents', 'relaunch', ...agent);
    expect([said.code, said.stderr]).toEqual([0, '']);
  }
}

async function oneRun(number: number, random: Seeded): Promise<void> {
  const victim = VICTIMS[number % VICTIMS.length]!;
  const action = random.pick(['attach', 'detach']);
  const mode = MODE_FLAGS[random.pick([...GATEWAY_MODES])];
  if (action === 'detach') {
    const ready = await json('agents', 'gateway', 'attach', mode, ...agent);
    expect([ready.code, ready.stderr]).toEqual([0, '']);
  }
  const before = windowZero();
  const command = begin('agents', 'gateway', action, ...(action === 'attach' ? [mode] : []), ...agent);
  if (victim === 'gateway') await world.until(() => programs().length > 0 || command.exitCode !== null);
  await new Promise((resolve) => setTimeout(resolve, random.below(700)));
  const hit = kill(victim, command);
  await ended(command);
  await statusIsRight();
  if (victim !== 'tmux' || !hit) expect(windowZero()).toBe(before);
  if (hit) await recover(victim);
  const again = await json('agents', 'gateway', 'attach', ...agent);
  expect([again.code, again.json['gateway_health'], again.stderr]).toEqual([0, 'healthy', '']);
  await world.until(() => gateways().length === 1);
  const detached = await json('agents', 'gateway', 'detach', ...agent);
  expect([detached.code, detached.stderr]).toEqual([0, '']);
  await world.until(() => gateways().length === 0);
  expect(world.windows(session)).toEqual(['0 agent']);
}

describe(`killed at random points (seed ${SEED})`, () => {
  const random = new Seeded(SEED);
  it.each(Array.from({ length: RUNS }, (_, number) => [number, VICTIMS[number % VICTIMS.length]] as const))(
    'kill table, run %i: %s',
    (number) => oneRun(number, random),
  );
});

describe('the kill table', () => {
  it('after a gateway is killed the agent is not attached, and attaching works', async () => {
    await json('agents', 'gateway', 'attach', modeFlag('detached_process'), ...agent);
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() => gateways().length === 0);
    expect((await json('agents', 'gateway', 'status', ...agent)).json['gateway_health']).toBe('not_attached');
    expect((await json('agents', 'gateway', 'attach', ...agent)).json['gateway_health']).toBe('healthy');
  });

  it('after a tool is killed the gateway is healthy, the agent unavailable, admission closed; relaunch works', async () => {
    await json('agents', 'gateway', 'attach', ...agent);
    const { process: own } = (await json('agents', 'show', ...agent)).json;
    process.kill(own.tool_pid, 'SIGKILL');
    const status = await world.until(async () => {
      const said = (await json('agents', 'gateway', 'status', ...agent)).json;
      return said['managed_agent_connectivity'] === 'unavailable' ? said : undefined;
    });
    expect(status).toMatchObject({ gateway_health: 'healthy', request_admission: 'blocked_unavailable' });
    expect((await json('agents', 'relaunch', ...agent)).code).toBe(0);
    await world.until(async () => {
      const said = (await json('agents', 'gateway', 'status', ...agent)).json;
      return said['managed_agent_connectivity'] === 'connected';
    });
  });

  it('after tmux is killed the session is lost, the gateway ends by itself; relaunch works', async () => {
    await json('agents', 'gateway', 'attach', modeFlag('detached_process'), ...agent);
    world.tmux('kill-server');
    await world.until(() => gateways().length === 0);
    const status = await world.rouse(['agents', 'gateway', 'status', ...agent]);
    expect(status.stdout).toMatch(/not_attached[\s\S]*is gone/);
    expect((await json('agents', 'show', ...agent)).json['session']).toBe('lost');
    const said = await json('agents', 'relaunch', ...agent);
    expect([said.code, said.json['revived'], said.json['tmux_session_name']]).toEqual([0, true, session]);
    expect(world.windows(session)).toEqual(['0 agent']);
    expect((await json('agents', 'gateway', 'attach', ...agent)).json['gateway_health']).toBe('healthy');
    expect((await json('agents', 'gateway', 'detach', ...agent)).code).toBe(0);
  });
});
