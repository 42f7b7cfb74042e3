import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld } from '../support/test-world.ts';

/** The host of all gateways and its keeper are killed together: nothing restarts them, and every command says so. */
const WOKEN = ['ana', 'ben'] as const;
const FIX = '"rouse host start" brings it back';

let world: TestWorld;
const rouse = (...args: string[]) => world.rouse(args);
// biome-ignore lint/suspicious/noExplicitAny: output of every shape
const agentOf = async (name: string): Promise<any> =>
  (await rouse('ls', '--json')).json['agents'].find((each: { name: string }) => each.name === name);
const gatewayOf = async (name: string) => (await rouse('agents', 'gateway', 'status', name, '--json')).json;
const wakesOf = async (name: string) =>
  (await rouse('agents', 'gateway', 'mail-notifier', 'status', name, '--json')).json;

function kill(...files: string[]): void {
  const hosts = path.join(world.env['ROUSE_HOME']!, 'runtime', 'hosts');
  const pids = fs
    .readdirSync(hosts)
    .flatMap((name) => files.map((file) => path.join(hosts, name, file)))
    .map((file) => JSON.parse(fs.readFileSync(file, 'utf8')).pid as number);
  for (const pid of pids) process.kill(pid, 'SIGKILL');
}
const killHostAndKeeper = (): void => kill('keeper.json', 'current-host.json');

const before = new Map<string, { port: number; interval: number; repeat: string; perHour: number }>();

beforeAll(async () => {
  world = new TestWorld();
  for (const name of WOKEN) expect((await rouse('launch', 'scripted', name, '--wake')).code).toBe(0);
  expect((await rouse('launch', 'scripted', 'cat')).code).toBe(0);
  await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ben', '--interval-seconds', '77');
  for (const name of WOKEN) {
    const { interval_seconds: interval, repeat, wakes_per_hour: perHour } = await wakesOf(name);
    before.set(name, { port: (await gatewayOf(name))['gateway_port'], interval, repeat, perHour });
  }
  expect((await rouse('ls')).stderr).toBe('');
  killHostAndKeeper();
  await world.until(async () => (await agentOf('ana')).gateway !== 'live');
});
afterAll(async () => {
  await world.close();
});

describe('the host of the gateways and its keeper, killed together', () => {
  it('after host and keeper are killed "ls" says that no agent is woken, and the one command; it asks nothing for one that never had a gateway', async () => {
    for (const name of WOKEN)
      expect(await agentOf(name)).toMatchObject({
        state: 'needs_you',
        reason: 'running, no gateway: will not be woken',
        gateway: 'lost',
        needs_you: expect.stringContaining(FIX),
      });
    expect(await agentOf('cat')).toMatchObject({ state: 'not_watched', needs_you: null });
    expect((await rouse('ls')).stdout).toMatch(/^ana +scripted +running, no gateway: will not be woken/m);
  });

  it.each([
    ['ls'],
    ['version'],
    ['mail', 'list', '--address', 'ana@houmao.localhost'],
    ['ls', '--json'],
    ['host', 'status'],
  ])(
    'after host and keeper are killed the next command says so in one line of standard error: %s',
    async (...words) => {
      const said = await rouse(...words);
      const lines = said.stderr.split('\n').filter((line) => line.includes('rouse host start'));
      expect(lines).toEqual([
        'warning: the host of the gateways was killed, so 2 agents are not woken; "rouse host start" brings it back',
      ]);
      if (words.includes('--json')) expect(JSON.parse(said.stdout)).toHaveProperty('agents');
    },
  );

  it('a shell that completes a word is not disturbed', async () => {
    expect((await rouse('complete', '--', 'rouse', 'l')).stderr).toBe('');
  });

  it('after host and keeper are killed "send" stores the mail and says that it wakes no one', async () => {
    for (const name of WOKEN) {
      const { code, stdout } = await rouse('send', name, 'hello', '--body', 'please');
      expect([code, stdout]).toEqual([0, expect.stringContaining(`note: ${name} will not be woken for it`)]);
      expect(stdout).toContain(FIX);
    }
    const { stdout } = await rouse('send', 'cat', 'hello', '--body', 'please');
    expect(stdout).toContain('"rouse agents gateway attach cat" attaches one');
  });

  it('after host and keeper are killed "status", "why" and "agents show" say so, also after one of them has cleared up', async () => {
    for (let time = 0; time < 2; time++) {
      expect((await rouse('status', 'ana')).stdout).toContain(FIX);
      expect((await rouse('why', 'ana')).stdout).toContain(FIX);
    }
    expect(await gatewayOf('ana')).toMatchObject({
      gateway_health: 'not_attached',
      standing: { state: 'needs_you', needs_you: expect.stringContaining(FIX) },
    });
  });

  it('after host and keeper are killed "doctor" names one command for all agents', async () => {
    const { code, json } = await rouse('doctor', '--json');
    const found = json['checks'].filter(({ fix }: { fix: string | null }) => fix === 'rouse host start');
    expect([code, found]).toEqual([1, [expect.objectContaining({ id: 'gateways', status: 'problem' })]]);
    expect(found[0].detail).toMatch(/^ana, ben will not be woken/);
  });

  it('"rouse host start" brings all gateways back as they were, and the mail that waited wakes their agents', async () => {
    const { code, stderr, json } = await rouse('host', 'start', '--json');
    expect([code, stderr.includes('warning')]).toEqual([0, false]);
    expect(json['gateways']).toMatchObject(
      WOKEN.map((agent_name) => ({
        agent_name,
        outcome: 'started',
        gateway_port: before.get(agent_name)!.port,
      })),
    );
    for (const name of WOKEN) {
      const { interval, repeat, perHour } = before.get(name)!;
      expect(await wakesOf(name)).toMatchObject({
        ...{ enabled: true, interval_seconds: interval, repeat, wakes_per_hour: perHour },
      });
      await world.until(async () => (await agentOf(name)).wakes?.count === 1);
      expect(await agentOf(name)).toMatchObject({ needs_you: null, gateway: 'live' });
    }
    expect((await agentOf('cat')).gateway).toBe('not_attached');
    expect((await rouse('ls')).stderr).toBe('');
    expect((await rouse('host', 'start', '--json')).json['gateways']).toMatchObject(
      WOKEN.map((agent_name) => ({ agent_name, outcome: 'running' })),
    );
  });

  it('a host that a person stopped is no alarm, and "rouse host start" brings its gateways back too', async () => {
    expect((await rouse('host', 'stop')).code).toBe(0);
    const said = await rouse('ls');
    expect([said.stderr, said.stdout.includes('needs you')]).toEqual(['', false]);
    expect((await rouse('host', 'start')).code).toBe(0);
    for (const name of WOKEN) expect((await agentOf(name)).gateway).toBe('live');
  });

  it('a gateway that a person detached stays detached', async () => {
    expect((await rouse('agents', 'gateway', 'detach', 'ben')).code).toBe(0);
    expect(await agentOf('ben')).toMatchObject({ gateway: 'not_attached', needs_you: null });
    expect((await rouse('host', 'start', '--json')).json['gateways']).toHaveLength(1);
    expect((await agentOf('ben')).gateway).toBe('not_attached');
  });

  it('the keeper of one background gateway, killed with it, is noticed the same way', async () => {
    expect((await rouse('agents', 'gateway', 'attach', 'ben', '--background')).code).toBe(0);
    const { json } = await rouse('agents', 'show', 'ben', '--json');
    const keeper = path.join(json['paths'].gateway_root, 'run', 'keeper.json');
    process.kill(JSON.parse(fs.readFileSync(keeper, 'utf8')).pid, 'SIGKILL');
    process.kill(json['gateway'].pid, 'SIGKILL');
    await world.until(async () => (await agentOf('ben')).gateway === 'lost');
    expect(await agentOf('ben')).toMatchObject({
      state: 'needs_you',
      needs_you: expect.stringContaining(FIX),
    });
    expect((await rouse('host', 'start')).code).toBe(0);
    expect(await gatewayOf('ben')).toMatchObject({ execution_mode: 'detached_process' });
  });
});

describe('the keeper of the host, killed alone', () => {
  it('a killed keeper of a host is missed by every agent, and also by one that is attached afterwards', async () => {
    expect((await rouse('agents', 'gateway', 'attach', 'ben', '--hosted')).code).toBe(0);
    kill('keeper.json');
    expect((await rouse('agents', 'gateway', 'attach', 'cat', '--hosted')).code).toBe(0);
    for (const name of ['ana', 'ben', 'cat'])
      await world.until(async () => (await agentOf(name)).needs_you?.includes('lost its keeper'));
    kill('current-host.json');
    for (const name of ['ana', 'ben', 'cat'])
      await world.until(async () => (await agentOf(name)).gateway === 'lost');
    expect((await rouse('host', 'start')).code).toBe(0);
    for (const name of ['ana', 'ben', 'cat']) expect((await agentOf(name)).gateway).toBe('live');
  });

  it('a killed keeper of a host is replaced by "rouse host start", and a live reminder is not lost with it', async () => {
    const { pid } = (await rouse('host', 'status', '--json')).json['hosts'][0];
    const words = ['--title', 'look', '--prompt', 'look', '--mode', 'one_off', '--ranking', '0'];
    const made = await rouse(
      'agents',
      'gateway',
      'reminders',
      'create',
      'ana',
      ...words,
      '--start-after-seconds',
      '3600',
    );
    expect([made.code, made.stderr]).toEqual([0, '']);
    kill('keeper.json');
    expect((await rouse('ls')).stderr).toMatch(/^warning: the keeper of the gateways' host was killed/);
    const { json } = await rouse('host', 'start', '--json');
    expect(json['gateways']).toMatchObject(
      ['ana', 'ben', 'cat'].map((agent_name) => ({ agent_name, outcome: 'started' })),
    );
    const said = await rouse('ls', '--json');
    expect([said.stderr, said.json['agents'].map((each: { needs_you: null }) => each.needs_you)]).toEqual([
      '',
      [null, null, null],
    ]);
    const [host] = (await rouse('host', 'status', '--json')).json['hosts'];
    expect(host.pid).not.toBe(pid);
    const { stdout } = await rouse('agents', 'gateway', 'reminders', 'list', 'ana');
    expect(stdout).toContain('look');
  });
});
