import { once } from 'node:events';
import * as fs from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRouseError, type RouseError } from '../../src/base/index.ts';
import { publishCapability } from '../../src/session/gateway/publish.ts';
import {
  type AttachOptions,
  attach,
  detach,
  listAgents,
  localStatus,
  type ManifestFacts,
  probeGateway,
  type SessionContext,
  sessionPaths,
} from '../../src/session/index.ts';
import { readDesiredConfig } from '../../src/session/records/gateway-documents.ts';
import { readRecord } from '../../src/session/records/registry-read.ts';
import { TestWorld } from '../support/test-world.ts';
import { buildStandIn } from './support/build-stand-in.ts';

let world: TestWorld;
let agent: ManifestFacts;
let gatewayProgram: string[];

beforeAll(async () => {
  world = new TestWorld();
  gatewayProgram = await buildStandIn(world.directory);
  agent = await world.launch('gpu');
});
afterAll(async () => {
  world.tmux('kill-session', '-t', `=${agent.tmuxSessionName}`);
  await world.close();
});

const context = (fault = ''): SessionContext => ({
  ...world.context,
  env: { ...world.env, STAND_IN: fault },
  gatewayProgram,
});
const target = () => ({ kind: 'local' as const, facts: agent });
const start = (options: AttachOptions = {}, fault = '') =>
  attach(context(fault), target(), { mode: 'detached_process', ...options });
const status = async () => (await localStatus(context(), agent)).status;
const paths = () => sessionPaths(agent.root);
const variables = () => world.tmux('show-environment', '-t', `=${agent.tmuxSessionName}`);
const gateways = () => world.processes().filter(({ words }) => words.includes('--gateway-root'));

async function refused(work: Promise<unknown>): Promise<RouseError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!isRouseError(error)) throw new Error(`not refused: ${String(error)}`);
  return error;
}

async function takePort(port = 0): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

describe('the port', () => {
  it('the port of a gateway that was asked for and is busy fails the attach with its cause, and leaves nothing', async () => {
    const busy = await takePort();
    const error = await refused(start({ port: busy.port }));
    busy.server.close();
    expect(error).toMatchObject({
      code: 'conflict',
      facts: { cause: 'port_in_use', gateway_port: busy.port },
    });
    expect(gateways()).toEqual([]);
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
    expect(variables()).not.toContain('HOUMAO_AGENT_GATEWAY');
  });

  it('the port of a gateway of the environment is as hard as a flag', async () => {
    const busy = await takePort();
    const env = { ...world.env, HOUMAO_AGENT_GATEWAY_PORT: String(busy.port) };
    const error = await refused(attach({ ...context(), env }, target(), { mode: 'detached_process' }));
    busy.server.close();
    expect(error.facts['cause']).toBe('port_in_use');
  });

  it('the port of a gateway that the system handed out is tried first next time and replaced when it is busy', async () => {
    const first = await start();
    const port = first.status.gateway_port!;
    await detach(context(), target());
    const again = await start();
    expect(again.status.gateway_port).toBe(port);
    await detach(context(), target());
    const busy = await takePort(port);
    const other = await start();
    busy.server.close();
    expect(other.status.gateway_health).toBe('healthy');
    expect(other.status.gateway_port).not.toBe(port);
    await detach(context(), target());
  });

  it('the port of a gateway that was asked for once stays a hard request', async () => {
    const { server, port } = await takePort();
    server.close();
    await start({ port });
    await detach(context(), target());
    const busy = await takePort(port);
    const error = await refused(start());
    busy.server.close();
    expect(error.facts['cause']).toBe('port_in_use');
    await start({ port: 0 });
    await detach(context(), target());
  });
});

describe('one gateway at a time', () => {
  it('two attaches at once give one gateway and the same answer', async () => {
    const reports = await Promise.all([start(), start(), start()]);
    expect(new Set(reports.map(({ status: seen }) => seen.gateway_port)).size).toBe(1);
    expect(reports.filter(({ alreadyAttached }) => !alreadyAttached)).toHaveLength(1);
    expect(gateways()).toHaveLength(1);
  });

  it('a failed attach touches nothing of the gateway that lives', async () => {
    const before = await status();
    const error = await refused(start({ port: 1 }));
    expect(error.facts['cause']).toBe('already_attached');
    expect(await status()).toEqual(before);
    expect(variables()).toContain('HOUMAO_AGENT_GATEWAY_PORT');
    await detach(context(), target());
  });

  it('another mode or timing on a live gateway is applied, at its address, and reported', async () => {
    const first = await start();
    const port = first.status.gateway_port;
    expect(first.restarted).toEqual([]);
    const window = await start({ mode: 'tmux_auxiliary_window' });
    expect(window.status).toMatchObject({ execution_mode: 'tmux_auxiliary_window', gateway_port: port });
    expect(window.restarted).toEqual([
      { setting: 'execution_mode', from: 'detached_process', to: 'tmux_auxiliary_window' },
    ]);
    const timed = await start({ timings: { stale_active_recovery_seconds: 10 } });
    expect(timed.restarted.map(({ setting }) => setting)).toEqual([
      'execution_mode',
      'stale_active_recovery_seconds',
    ]);
    expect(timed.status).toMatchObject({ execution_mode: 'detached_process', gateway_port: port });
    expect(gateways()).toHaveLength(1);
    expect(gateways()[0]!.words).toContain('--tui-stale-active-recovery-seconds 10');
    expect(readDesiredConfig(paths())).toMatchObject({
      desired_execution_mode: 'detached_process',
      desired_port_origin: 'auto',
      desired_tui_tracking_timings: { stale_active_recovery_seconds: 10 },
    });
    const before = gateways();
    const same = await start({ timings: { stale_active_recovery_seconds: 10 } });
    expect([same.alreadyAttached, same.restarted]).toEqual([true, []]);
    expect(gateways()).toEqual(before);
    await start({ timings: { stale_active_recovery_seconds: 5 } });
    await detach(context(), target());
  });

  it('two attaches that ask for the same change restart it once', async () => {
    await start();
    const asked = { mode: 'tmux_auxiliary_window' } as const;
    const reports = await Promise.all([start(asked), start(asked)]);
    expect(reports.map(({ restarted }) => restarted.length).sort()).toEqual([0, 1]);
    expect(gateways()).toHaveLength(1);
    await detach(context(), target());
  });

  it('a gateway that does not come up as asked is brought back as it was', async () => {
    const first = await start();
    const error = await refused(start({ mode: 'tmux_auxiliary_window' }, 'dies-in-window'));
    expect(error.facts).toMatchObject({ cause: 'ended_early', brought_back: true });
    expect(error.message).toContain('mode background → foreground');
    expect(await status()).toMatchObject({
      gateway_health: 'healthy',
      execution_mode: 'detached_process',
      gateway_port: first.status.gateway_port,
    });
    expect(readDesiredConfig(paths())).toMatchObject({
      desired_execution_mode: 'detached_process',
    });
    await detach(context(), target());
  });

  it('a gateway whose starter was killed before it could publish is found and published', async () => {
    await start();
    world.tmux('set-environment', '-t', `=${agent.tmuxSessionName}`, '-u', 'HOUMAO_AGENT_GATEWAY_PORT');
    const report = await localStatus(context(), agent);
    expect(report.status.gateway_health).toBe('healthy');
    expect(report.notes).toHaveLength(1);
    expect(variables()).toContain('HOUMAO_AGENT_GATEWAY_PORT');
    await detach(context(), target());
  });
});

describe('the registry', () => {
  it('the registry names the gateway while it lives, whatever else is published, and no longer', async () => {
    const record = () =>
      JSON.parse(
        fs.readFileSync(
          `${world.context.settings.registryDir}/live_agents/${agent.agentId}/record.json`,
          'utf8',
        ),
      );
    const { status: seen } = await start();
    expect(record().gateway).toMatchObject({ port: seen.gateway_port, state_path: paths().state });
    await publishCapability(context(), agent.path);
    expect(record().gateway).toMatchObject({ port: seen.gateway_port });
    await detach(context(), target());
    expect(record().gateway).toBeNull();
  });
});

describe('a gateway that does not keep its promises', () => {
  it('a gateway that dies at its start: its last words are reported', async () => {
    const error = await refused(start({}, 'dies'));
    expect(error).toMatchObject({ code: 'unavailable', facts: { cause: 'ended_early' } });
    expect(error.message).toMatch(/ordered to die/);
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
  });

  it('a gateway that responds as another one is not believed, and is ended', async () => {
    const error = await refused(start({}, 'stranger'));
    expect(error.facts['cause']).toBe('health_timeout');
    expect(error.message).toMatch(/another instance/);
    expect(gateways()).toEqual([]);
    expect(fs.existsSync(paths().currentInstance)).toBe(false);
  });

  it('a gateway that does not end when asked is killed', async () => {
    await start({}, 'stubborn');
    const report = await detach(context(), target());
    expect(report.ended).toBe('SIGKILL');
    expect(gateways()).toEqual([]);
  });

  it('a gateway that is stopped by a signal is never called healthy; attach replaces it', async () => {
    await start();
    const life = await probeGateway(paths());
    if (life.life !== 'live') throw new Error('not live');
    process.kill(life.gateway.identity.pid, 'SIGSTOP');
    const report = await localStatus(context(), agent);
    expect(report.status.gateway_health).toBe('not_attached');
    expect(variables()).not.toContain('HOUMAO_AGENT_GATEWAY');
    const again = await start();
    expect(again).toMatchObject({ alreadyAttached: false, status: { gateway_health: 'healthy' } });
    expect(gateways()).toHaveLength(1);
    await detach(context(), target());
  });
});

describe('a gateway that is frozen', () => {
  const health = () => JSON.parse(fs.readFileSync(paths().state, 'utf8')).gateway_health;
  const registered = () => readRecord(world.context.settings.registryDir, agent.agentId);
  const listed = async () => (await listAgents(context())).agents[0];

  it('status, state.json, the registry and the list report a frozen gateway as frozen, and as live when it responds again', async () => {
    const { status: first } = await start();
    const life = await probeGateway(paths());
    if (life.life !== 'live') throw new Error('not live');
    process.kill(life.gateway.identity.pid, 'SIGSTOP');
    const report = await localStatus(context(), agent);
    expect(report.notes).toEqual([expect.stringContaining('does not answer')]);
    expect(health()).toBe('not_attached');
    expect(registered()).toMatchObject({ gateway: null });
    expect(await listed()).toMatchObject({ gateway: 'silent', gateway_port: null });
    process.kill(life.gateway.identity.pid, 'SIGCONT');
    expect(await status()).toMatchObject({ gateway_health: 'healthy' });
    expect(health()).toBe('healthy');
    expect(registered()).toMatchObject({ gateway: { port: first.gateway_port } });
    expect(variables()).toContain(`HOUMAO_AGENT_GATEWAY_PORT=${first.gateway_port}`);
    await detach(context(), target());
  });
});

describe('the variables of another session', () => {
  it('the variables of another session decide neither host nor port of this one', async () => {
    const { server, port } = await takePort();
    server.close();
    await start({ port });
    await detach(context(), target());
    const env = {
      ...world.env,
      HOUMAO_AGENT_GATEWAY_HOST: '0.0.0.0',
      HOUMAO_AGENT_GATEWAY_PORT: '46001',
      HOUMAO_GATEWAY_STATE_PATH: '/of/another/gateway/state.json',
    };
    const report = await attach({ ...context(), env }, target(), {});
    expect(report.status).toMatchObject({ gateway_host: '127.0.0.1', gateway_port: port });
    await detach(context(), target());
    expect(readDesiredConfig(paths())).toMatchObject({
      desired_host: '127.0.0.1',
      desired_port: port,
      desired_port_origin: 'explicit',
    });
    await start({ port: 0 });
    await detach(context(), target());
  });
});

describe('stale traces', () => {
  beforeAll(() => {
    world.env['ROUSE_GATEWAY_RESTARTS'] = '0';
  });
  afterAll(() => {
    delete world.env['ROUSE_GATEWAY_RESTARTS'];
  });
  const record = (change: object) => {
    const own = JSON.parse(fs.readFileSync(paths().currentInstance, 'utf8')) as object;
    fs.writeFileSync(paths().currentInstance, JSON.stringify({ ...own, ...change }));
  };

  it('status of a killed gateway clears variables, files and record, and says not attached', async () => {
    await start();
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() => gateways().length === 0);
    expect(await status()).toMatchObject({ gateway_health: 'not_attached', gateway_port: null });
    expect(variables()).not.toContain('HOUMAO_AGENT_GATEWAY');
    expect(fs.existsSync(paths().currentInstance)).toBe(false);
    expect(JSON.parse(fs.readFileSync(paths().gatewayManifest, 'utf8'))).toMatchObject({ gateway_pid: null });
    expect(JSON.parse(fs.readFileSync(paths().state, 'utf8'))).toMatchObject({
      gateway_health: 'not_attached',
    });
  });

  it('a recorded process id that belongs to another process now is never signalled', async () => {
    await start();
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() => gateways().length === 0);
    record({ pid: process.pid });
    expect((await detach(context(), target())).ended).toBe('already');
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
  });

  it('a record without a start time is not enough to signal', async () => {
    await start();
    record({ pid_start_ticks: null });
    expect((await refused(detach(context(), target()))).facts['cause']).toBe('gateway_not_stopped');
    expect(gateways()).toHaveLength(1);
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() => gateways().length === 0);
    await status();
  });

  it('a recorded handle that claims window 0 is refused by detach and skipped by cleaning up', async () => {
    await start({ mode: 'tmux_auxiliary_window' });
    const pane = world
      .tmux('display-message', '-p', '-t', `=${agent.tmuxSessionName}:0`, '#{window_id} #{pane_id}')
      .split(' ');
    record({ tmux_window_id: pane[0], tmux_pane_id: pane[1], tmux_window_index: '0' });
    expect((await refused(detach(context(), target()))).facts['cause']).toBe('reserved_window');
    expect(world.windows(agent.tmuxSessionName)).toEqual(['0 agent', '1 gateway']);
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() => gateways().length === 0);
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
    expect(world.windows(agent.tmuxSessionName)).toEqual(['0 agent']);
  });

  it('a window that outlived its gateway is closed, exactly that one', async () => {
    await start({ mode: 'tmux_auxiliary_window' });
    const session = `=${agent.tmuxSessionName}`;
    world.tmux('set-option', '-w', '-t', `${session}:1`, 'remain-on-exit', 'on');
    world.tmux('new-window', '-d', '-t', `${session}:`, '-n', 'mine', 'sleep 1000');
    process.kill(gateways()[0]!.pid, 'SIGKILL');
    await world.until(() =>
      world.tmux('list-panes', '-s', '-t', session, '-F', '#{pane_dead}').includes('1'),
    );
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
    expect(world.windows(agent.tmuxSessionName)).toEqual(['0 agent', '2 mine']);
    world.tmux('kill-window', '-t', `${session}:2`);
  });

  it.each([
    ['not JSON', '{'],
    ['empty', ''],
    ['not a gateway', '{"pid": -1}'],
    ['a list', '[]'],
  ])('an instance record that is %s counts as none', async (_, text) => {
    fs.writeFileSync(paths().currentInstance, text);
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
    expect((await start()).status.gateway_health).toBe('healthy');
    await detach(context(), target());
  });

  it('damaged state and desired configuration count as none', async () => {
    fs.writeFileSync(paths().state, 'x');
    fs.writeFileSync(paths().desiredConfig, 'x');
    expect(await status()).toMatchObject({ gateway_health: 'not_attached' });
    expect((await start()).status.gateway_health).toBe('healthy');
    await detach(context(), target());
  });
});

it('asking for the status of a session that is not attached writes nothing', async () => {
  await status();
  const stamps = () =>
    fs
      .readdirSync(agent.root, { recursive: true, encoding: 'utf8' })
      .map((name) => [name, fs.statSync(`${agent.root}/${name}`).ctimeMs]);
  const before = stamps();
  await status();
  expect(stamps()).toEqual(before);
});

it('a session whose tmux is gone is reported as lost, and cannot be attached', async () => {
  const other = await world.launch('gone');
  world.tmux('kill-session', '-t', `=${other.tmuxSessionName}`);
  const report = await localStatus(context(), other);
  expect(report).toMatchObject({
    status: { gateway_health: 'not_attached' },
    notes: [expect.stringMatching(/is gone/)],
  });
  const error = await refused(attach(context(), { kind: 'local', facts: other }, {}));
  expect(error).toMatchObject({ code: 'unavailable', facts: { cause: 'session_lost' } });
});
