import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { attach, findTarget, type ManifestFacts, sessionPaths } from '../../src/session/index.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

/** Gateways of several sessions in one process: each has everything that a gateway in its own process has. */
const NAMES = ['one', 'two', 'three'] as const;

let world: TestWorld;
const agents = new Map<string, ManifestFacts>();

beforeAll(async () => {
  world = new TestWorld();
  world.env['ROUSE_GATEWAY_RESTART_SECONDS'] = '0.05';
  for (const name of NAMES)
    agents.set(name, await world.launch(name, { args: ['--turn', '50ms'], autoAttach: { mode: 'hosted' } }));
});
afterAll(async () => {
  for (const name of NAMES) await world.rouse(['agents', 'stop', '--agent-name', name]);
  await world.until(() => world.processes().length === 0);
  expect(await world.close()).toEqual([]);
});

const paths = (name: string) => sessionPaths(agents.get(name)!.root);
const record = (name: string) => JSON.parse(fs.readFileSync(paths(name).currentInstance, 'utf8'));
const gateway = (action: string, name: string, ...flags: string[]) =>
  world.rouse(['--print-json', 'agents', 'gateway', action, '--agent-name', name, ...flags]);
const hosts = () => world.processes().filter(({ words }) => words.includes('--rouse-home'));
const client = (name: string) => new GatewayClient({ host: '127.0.0.1', port: record(name).port });
const received = (name: string, text: string) =>
  readTranscript(`${agents.get(name)!.root}/transcript.jsonl`).filter(
    (each) => each.type === 'submitted' && each['text'] === text,
  ).length;
const hostStatus = async () => (await world.rouse(['--print-json', 'host', 'status'])).json['hosts'];

async function prompt(name: string, text: string): Promise<void> {
  const { request_id } = await client(name).call('requests.create', {
    body: { schema_version: 1, kind: 'submit_prompt', payload: { prompt: text } },
  });
  await world.until(async () => (await client(name).getRequest(request_id)).state === 'completed');
  expect(received(name, text)).toBe(1);
}

describe('hosted gateways', () => {
  it('hosted gateways are one process, which names its home, and each has its own address, files and answers', async () => {
    const records = NAMES.map(record);
    expect(new Set(records.map(({ pid }) => pid)).size).toBe(1);
    expect(new Set(records.map(({ port }) => port)).size).toBe(3);
    expect(hosts().map(({ words }) => words)).toEqual([
      expect.stringContaining(`--rouse-home ${world.env['ROUSE_HOME']}`),
    ]);
    for (const name of NAMES) {
      expect((await gateway('status', name)).json).toMatchObject({
        gateway_health: 'healthy',
        execution_mode: 'hosted',
        gateway_port: record(name).port,
        gateway_tmux_window_id: null,
      });
      await prompt(name, `for ${name}`);
    }
    expect(await hostStatus()).toMatchObject([
      { pid: records[0].pid, answers: true, gateways: NAMES.map((agent_name) => ({ agent_name })) },
    ]);
  });

  it('hosted gateways are detached and attached one by one: the others are the same as before', async () => {
    const before = record('one');
    const detached = await gateway('detach', 'two');
    expect(detached.json).toMatchObject({ gateway_health: 'not_attached', ended_by: 'SIGTERM' });
    expect(fs.existsSync(paths('two').currentInstance)).toBe(false);
    const again = await gateway('attach', 'two');
    expect(again.json).toMatchObject({ gateway_health: 'healthy', execution_mode: 'hosted' });
    expect([record('two').pid, record('one')]).toEqual([before.pid, before]);
  });

  it('hosted gateways that cannot start leave the others alone: a queue file that is none', async () => {
    const before = record('one');
    await gateway('detach', 'two');
    const { queue } = paths('two');
    const good = fs.readFileSync(queue);
    fs.writeFileSync(queue, 'this is no database, and long enough to be read as one'.repeat(100));
    const refused = await gateway('attach', 'two');
    expect([refused.code === 0, record('one')]).toEqual([false, before]);
    await prompt('one', 'beside a broken one');
    fs.writeFileSync(queue, good);
    expect((await gateway('attach', 'two')).json).toMatchObject({ gateway_health: 'healthy' });
  });

  it('move to another mode and back, alone, with their address', async () => {
    const { port } = record('three');
    const moved = await gateway('attach', 'three', '--background');
    expect(moved.json).toMatchObject({ execution_mode: 'detached_process', gateway_port: port });
    const back = await gateway('attach', 'three', '--hosted');
    expect(back.json).toMatchObject({ execution_mode: 'hosted', gateway_port: port });
    expect(record('three').pid).toBe(record('one').pid);
  });

  it('hosted gateways are all resumed by the next host when theirs is killed: same addresses, accepted work once', async () => {
    const before = NAMES.map(record);
    process.kill(before[0].pid, 'SIGKILL');
    await world.until(() => NAMES.every((name) => fs.existsSync(paths(name).currentInstance)));
    await world.until(() => NAMES.every((name) => record(name).pid !== before[0].pid));
    expect(NAMES.map((name) => record(name).port)).toEqual(before.map(({ port }) => port));
    for (const name of NAMES) await prompt(name, `after the crash for ${name}`);
    expect((await world.rouse(['agents', 'gateway', 'status', '--agent-name', 'two'])).stdout).toMatch(
      /started again once, .*signal 9/,
    );
  });

  it('hosted gateways are ended when their host does not respond; the others are resumed', async () => {
    const { pid } = record('one');
    process.kill(pid, 'SIGSTOP');
    expect((await gateway('detach', 'one')).json).toMatchObject({ ended_by: 'SIGKILL' });
    await world.until(() => ['two', 'three'].every((name) => record(name).pid !== pid));
    await prompt('two', 'after the silence');
    expect((await gateway('status', 'one')).json).toMatchObject({ gateway_health: 'not_attached' });
  });

  it('hosted gateways of another program are in a host of its own: an upgrade goes one by one', async () => {
    const context = {
      ...world.context,
      gatewayProgram: ['env', 'UPGRADED=1', process.execPath, path.join(ROOT, 'dist', 'gateway.js')],
    };
    const target = await findTarget(context, { agentName: 'one' });
    const { status } = await attach(context, target, { mode: 'hosted' });
    expect(status.gateway_health).toBe('healthy');
    expect([record('one').pid === record('two').pid, hosts().length]).toEqual([false, 2]);
    const notesOf = async (name: string) =>
      (await attach(world.context, await findTarget(world.context, { agentName: name }), {})).notes.join(
        '\n',
      );
    expect(await notesOf('one')).toContain('in the host of another build of Rouse');
    expect(await notesOf('two')).not.toContain('another build');
    await gateway('detach', 'one');
    await world.until(() => hosts().length === 1);
  });

  it('hosted gateways are all detached by "rouse host stop"; the agents keep running, and no process is left', async () => {
    const said = await world.rouse(['host', 'stop']);
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('2 gateways detached')]);
    for (const name of NAMES)
      expect((await gateway('status', name)).json).toMatchObject({ gateway_health: 'not_attached' });
    await world.until(() => world.processes().every(({ words }) => !/keeper\.sh|gateway\.js/.test(words)));
    expect(await hostStatus()).toEqual([]);
    expect(world.tmux('list-sessions').split('\n')).toHaveLength(3);
  });
});
