import * as fs from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identifyProcess, isProcessAlive } from '../../src/base/index.ts';
import { GatewayClient } from '../../src/client/index.ts';
import { type ManifestFacts, sessionPaths } from '../../src/session/index.ts';
import { readKeeper } from '../../src/session/records/live-gateway.ts';
import { sampled } from '../support/sample.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld } from '../support/test-world.ts';

/** A gateway that ends unasked is restarted: same port, same mode, and its accepted work is done once. */
const MODES = ['--background', '--foreground', '--hosted'] as const;

/** Modes whose keeper is not in a window. */
const KEPT = ['--background', '--hosted'] as const;

let world: TestWorld;
let agent: ManifestFacts;

beforeAll(async () => {
  world = new TestWorld();
  world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.05';
  agent = await world.launch('gpu', { args: ['--turn', '50ms'] });
});
afterAll(async () => {
  expect((await rouse('agents', 'stop', '--agent-name', 'gpu')).code).toBe(0);
  await world.until(() => world.processes().length === 0);
  expect(await world.close()).toEqual([]);
});

const rouse = (...args: string[]) => world.rouse(args);
const gateway = (action: string, ...flags: string[]) =>
  world.rouse(['--print-json', 'agents', 'gateway', action, '--agent-name', 'gpu', ...flags]);
const paths = () => sessionPaths(agent.root);
const record = () => JSON.parse(fs.readFileSync(paths().currentInstance, 'utf8'));
const gateways = () => world.processes().filter(({ words }) => /--gateway-root|--rouse-home/.test(words));
const hosts = () => world.processes().filter(({ words }) => words.includes('--rouse-home'));
const keepers = () => world.processes().filter(({ words }) => words.endsWith('keeper.sh'));
const received = (text: string) =>
  readTranscript(`${agent.root}/transcript.jsonl`).filter(
    (each) => each.type === 'submitted' && each['text'] === text,
  ).length;

/** Kills the recorded gateway; resolves when another one is recorded and answers. */
async function killAndAwait(): Promise<void> {
  const before = record().pid as number;
  process.kill(before, 'SIGKILL');
  await world.until(() => record().pid !== before && isProcessAlive(identifyProcess(record().pid)!));
  await world.until(() =>
    client()
      .health()
      .then(
        () => true,
        () => false,
      ),
  );
}

/** A host ends when it holds no gateways. */
async function nobodyLeft(mode: string): Promise<void> {
  if (mode === '--hosted') await world.until(() => gateways().length + keepers().length === 0);
}

const client = (): GatewayClient => new GatewayClient({ host: '127.0.0.1', port: record().port });

describe.each(sampled('killed', MODES, 1))('a gateway that was killed (%s)', (mode) => {
  it('a killed gateway is back by itself, where it was, and what it had accepted goes in once', async () => {
    const { json: attached } = await gateway('attach', mode);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      const accepted = await client().call('requests.create', {
        body: {
          schema_version: 1,
          kind: 'submit_prompt',
          payload: { prompt: `${mode} ${i}` },
        },
      });
      ids.push(accepted.request_id);
      if (i === 2) await killAndAwait();
    }
    await world.until(async () =>
      (await Promise.all(ids.map((id) => client().getRequest(id)))).every(
        ({ state }) => state === 'completed',
      ),
    );
    expect([0, 1, 2, 3, 4].map((i) => received(`${mode} ${i}`))).toEqual([1, 1, 1, 1, 1]);
    const { json: now, code } = await gateway('status');
    expect(code).toBe(0);
    for (const field of ['gateway_port', 'execution_mode', 'gateway_tmux_window_id', 'gateway_tmux_pane_id'])
      expect([field, now[field]]).toEqual([field, attached[field]]);
    expect((await rouse('agents', 'gateway', 'status', '--agent-name', 'gpu')).stdout).toMatch(
      /started again once, .*signal 9/,
    );
    expect((await gateway('detach')).code).toBe(0);
    await nobodyLeft(mode);
    expect([gateways(), keepers(), world.windows(agent.tmuxSessionName)]).toEqual([[], [], ['0 agent']]);
  });
});

describe('a gateway that ends again and again', () => {
  it('a gateway that ends again and again stays down after the fifth time, and status, list, show and why say so; attach starts it again', async () => {
    await gateway('attach', '--background');
    for (let i = 0; i < 5; i++) await killAndAwait();
    const keeper = readKeeper(paths())!;
    process.kill(record().pid, 'SIGKILL');
    await world.until(() => !isProcessAlive(keeper.identity));
    expect(gateways()).toEqual([]);
    const words = /down since \d{4}-.*signal 9, started again 5 times.*attach it again/;
    const status = await gateway('status');
    expect(status.json).toMatchObject({
      gateway_health: 'not_attached',
      gateway_down: { restarts: 5, exit_code: 137, message: expect.stringMatching(words) },
    });
    expect((await rouse('agents', 'gateway', 'status', '--agent-name', 'gpu')).stdout).toMatch(words);
    const list = (await rouse('agents', 'list')).stdout;
    expect(list).toMatch(/gpu .* down /);
    expect(list).toMatch(words);
    expect((await rouse('agents', 'show', '--agent-name', 'gpu')).stdout).toMatch(words);
    expect((await rouse('why', '--agent-name', 'gpu')).stdout).toMatch(words);
    expect((await rouse('ls')).stdout).toMatch(
      /gpu needs you: its gateway is down: .*"rouse agents gateway attach gpu"/,
    );
    const again = await gateway('attach');
    expect([again.code, again.json['gateway_health']]).toEqual([0, 'healthy']);
    expect((await gateway('detach')).json['gateway_down']).toBeUndefined();
    expect((await rouse('agents', 'list')).stdout).toMatch(/gpu .* not_attached/);
  });
});

describe('a host that ends again and again', () => {
  it('a host that ends again and again is never given up: it is started again after longer pauses, status says so, and "host start" does not wait', async () => {
    world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.5';
    await gateway('attach', '--hosted');
    const keeper = readKeeper(paths())!;
    for (let ends = 1; ends <= 6; ends++) {
      await world.until(() => hosts().length === 1);
      process.kill(hosts()[0]!.pid, 'SIGKILL');
      await world.until(() => readKeeper(paths())?.restarts === ends);
    }
    expect([isProcessAlive(keeper.identity), readKeeper(paths())]).toMatchObject([
      true,
      { gaveUp: false, slow: true },
    ]);
    expect((await rouse('ls')).stdout).toMatch(
      /gpu needs you: the host .*slowly; "rouse host start" starts it now/,
    );
    expect((await rouse('host', 'start')).code).toBe(0);
    expect((await gateway('status')).json).toMatchObject({
      gateway_health: 'healthy',
      execution_mode: 'hosted',
    });
    expect((await gateway('detach')).code).toBe(0);
    await nobodyLeft('--hosted');
  });
});

describe('during the pause before it is started again', () => {
  beforeAll(() => {
    world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '60';
  });

  async function killed(mode: string): Promise<void> {
    await gateway('attach', mode);
    process.kill(record().pid, 'SIGKILL');
    await world.until(() => readKeeper(paths())?.restarts === 1);
  }

  it.each(sampled('down', MODES, 1))(
    'during the pause before a gateway is restarted status and list say so, and detach ends it (%s)',
    async (mode) => {
      await killed(mode);
      const status = await rouse('agents', 'gateway', 'status', '--agent-name', 'gpu');
      expect(status.stdout).toMatch(/not_attached[\s\S]*being started again/);
      expect((await rouse('agents', 'list')).stdout).toMatch(/gpu .* restarting/);
      const detached = await gateway('detach');
      expect([detached.code, detached.stderr]).toEqual([0, '']);
      await nobodyLeft(mode);
      expect([gateways(), keepers(), world.windows(agent.tmuxSessionName)]).toEqual([[], [], ['0 agent']]);
      expect(fs.existsSync(paths().currentInstance)).toBe(false);
    },
  );

  it.each(sampled('attach', KEPT, 1))(
    'attach does not wait for the pause before a gateway is restarted (%s)',
    async (mode) => {
      await killed(mode);
      const again = await gateway('attach');
      expect([again.code, again.json['gateway_health']]).toEqual([0, 'healthy']);
      expect([gateways().length, keepers().length]).toEqual([1, 1]);
    },
  );

  it('the end of the tmux session ends the keeper of a foreground gateway during its pause', async () => {
    await gateway('detach');
    await killed('--foreground');
    world.tmux('kill-server');
    await world.until(() => keepers().length === 0);
    expect((await rouse('agents', 'relaunch', '--agent-name', 'gpu')).code).toBe(0);
  });
});

it.each(sampled('small', KEPT, 1))('a keeper that waits is small (%s)', async (mode) => {
  await gateway('attach', mode);
  const status = fs.readFileSync(`/proc/${keepers()[0]!.pid}/status`, 'utf8');
  expect(Number(/^RssAnon:\s+(\d+)/m.exec(status)![1])).toBeLessThan(2000);
});
