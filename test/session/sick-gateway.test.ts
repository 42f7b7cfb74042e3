import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import { disksFor, smallDisk } from '../faults/small-file-system.ts';
import { ROOT, TestWorld } from '../support/test-world.ts';

/** A gateway that runs but cannot work: everything that shows the agent says what /health says. */
let world: TestWorld;
let root: string;

const rouse = (...args: string[]) => world.rouse(args);
const at = (...parts: string[]): string => path.join(root, ...parts);
// biome-ignore lint/suspicious/noExplicitAny: output of every shape
const ana = async (): Promise<any> => (await rouse('ls', '--json')).json['agents'][0];
const client = (): GatewayClient =>
  new GatewayClient({
    host: '127.0.0.1',
    port: JSON.parse(fs.readFileSync(at('run', 'current-instance.json'), 'utf8')).port,
  });
const wakes = async () => (await rouse('agents', 'gateway', 'mail-notifier', 'status', 'ana', '--json')).json;
const FRESH = 'rouse agents gateway attach ana --fresh-queue';
const SETTINGS = { enabled: true, interval_seconds: 60, repeat: 'backoff', wakes_per_hour: 30 };

async function launch(): Promise<void> {
  expect((await rouse('launch', 'scripted', 'ana', '--wake')).code).toBe(0);
  const { json } = await rouse('agents', 'show', 'ana', '--json');
  root = json['paths'].gateway_root;
  await well();
}

const well = () => world.until(async () => (await ana()).state === 'idle');

/** `ls`, `status`, `why` and `doctor` say what /health says, and the same command. */
async function everywhere(reason: RegExp, command: string): Promise<void> {
  await world.until(async () => (await client().health()).status === 'degraded');
  const { reasons = [] } = await client().health();
  expect(reasons).toEqual(expect.arrayContaining([expect.stringMatching(reason)]));
  await world.until(async () => reason.test((await ana()).needs_you ?? ''));
  expect(await ana()).toMatchObject({ state: 'needs_you', reason: 'gateway in trouble', gateway: 'live' });
  const doctor = await rouse('doctor', '--json');
  const found = doctor.json['checks'].find(({ id }: { id: string }) => id === 'agent.ana');
  // Doctor itself is already running.
  const fix = command === 'rouse doctor' ? null : command;
  expect(found).toMatchObject({ status: 'problem', detail: expect.stringMatching(reason), fix });
  for (const words of [['ls'], ['status', 'ana'], ['why', 'ana']]) {
    const { stdout } = await rouse(...words);
    expect(stdout).toMatch(reason);
    expect(stdout).toContain(command);
  }
}

/** The same for a gateway that does not run and cannot start. */
async function everywhereElse(reason: RegExp, command: string): Promise<void> {
  const doctor = await rouse('doctor', '--json');
  const found = doctor.json['checks'].find(({ id }: { id: string }) => id === 'agent.ana');
  expect(found).toMatchObject({ status: 'problem', detail: expect.stringMatching(reason), fix: command });
  for (const words of [['ls'], ['status', 'ana'], ['why', 'ana']]) {
    const { code, stdout } = await rouse(...words);
    expect([code, stdout]).toEqual([0, expect.stringMatching(reason)]);
    expect(stdout).toContain(command);
  }
}

beforeAll(async () => {
  world = new TestWorld();
  await launch();
});
afterAll(async () => {
  await world.close();
});

describe('a gateway whose queue file is taken away', () => {
  it('a gateway whose queue file is taken away says so everywhere, and is well again when it is put back', async () => {
    fs.renameSync(at('queue.sqlite'), at('elsewhere'));
    await everywhere(/queue\.sqlite was removed under the gateway/, FRESH);
    fs.renameSync(at('elsewhere'), at('queue.sqlite'));
    await well();
    expect((await client().health()).status).toBe('ok');
  });

  it('a gateway whose queue file is taken away gets a new one by the command it names, with the wakes it had', async () => {
    fs.rmSync(at('queue.sqlite'));
    await everywhere(/queue\.sqlite was removed under the gateway/, FRESH);
    expect((await rouse('agents', 'gateway', 'attach', 'ana', '--fresh-queue')).code).toBe(0);
    await well();
    expect(await wakes()).toMatchObject(SETTINGS);
  });

  it('an emptied queue file is trouble for the gateway that runs and for the next; the damaged file is kept', async () => {
    fs.truncateSync(at('queue.sqlite'), 0);
    await everywhere(/queue\.sqlite was emptied under the gateway/, FRESH);
    const { pid } = JSON.parse(fs.readFileSync(at('run', 'current-instance.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
    await world.until(async () => (await ana()).gateway !== 'live');
    fs.truncateSync(at('queue.sqlite'), 0);
    await world.until(async () => (await ana()).needs_you?.includes(FRESH));
    expect(await ana()).toMatchObject({ reason: 'running, no gateway: will not be woken' });
    await everywhereElse(/queue\.sqlite is empty, and a gateway has used it/, FRESH);
    const { stdout } = await rouse('why', 'ana');
    expect(stdout).toContain('not woken now; set to be woken for all open mail; repeats back off from 1 min');
    const refused = await rouse('agents', 'gateway', 'attach', 'ana');
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining(FRESH)]);
    expect(fs.statSync(at('queue.sqlite')).size).toBe(0);
    expect((await ana()).needs_you).toContain(FRESH);
    const attached = await rouse('agents', 'gateway', 'attach', 'ana', '--fresh-queue');
    expect([attached.code, attached.stdout]).toEqual([0, expect.stringContaining('its queue is a new one')]);
    expect(fs.readdirSync(root).filter((name) => /^queue-\d.*\.sqlite$/.test(name))).not.toEqual([]);
    await well();
    expect(await wakes()).toMatchObject(SETTINGS);
  });

  it('a gateway whose queue file is taken away names, when it refuses work, the command with its agent', async () => {
    fs.renameSync(at('queue.sqlite'), at('elsewhere'));
    const refused = await rouse('agents', 'gateway', 'requests', 'submit', 'ana', '--prompt', 'x');
    expect(refused.stderr).toContain(`"${FRESH}"`);
    fs.renameSync(at('elsewhere'), at('queue.sqlite'));
    await well();
  });

  it('a detached gateway whose queue file is missing is not taken for one that has never run', async () => {
    expect((await rouse('agents', 'gateway', 'detach', 'ana')).code).toBe(0);
    fs.renameSync(at('queue.sqlite'), at('elsewhere'));
    const { code, stdout } = await rouse('why', 'ana');
    expect([code, stdout]).toEqual([0, expect.stringContaining('queue.sqlite is missing, and a gateway')]);
    expect(stdout).toContain(FRESH);
    fs.renameSync(at('elsewhere'), at('queue.sqlite'));
    expect((await rouse('agents', 'gateway', 'attach', 'ana')).code).toBe(0);
    await well();
  });

  it('a gateway that was asked for and cannot start needs you everywhere, until no gateway is wanted', async () => {
    expect((await rouse('agents', 'gateway', 'detach', 'ana')).code).toBe(0);
    expect((await ana()).needs_you).toBeNull();
    fs.renameSync(at('queue.sqlite'), at('elsewhere'));
    expect((await ana()).needs_you).toBeNull();
    expect((await rouse('agents', 'gateway', 'attach', 'ana')).code).toBe(7);
    expect(await ana()).toMatchObject({ state: 'needs_you', gateway: 'not_attached' });
    await everywhereElse(/queue\.sqlite is missing, and a gateway has used it/, FRESH);
    fs.renameSync(at('elsewhere'), at('queue.sqlite'));
    await everywhereElse(/its gateway did not start/, FRESH);
    expect((await rouse('agents', 'gateway', 'detach', 'ana')).code).toBe(0);
    expect((await ana()).needs_you).toBeNull();
    expect((await rouse('agents', 'gateway', 'attach', 'ana')).code).toBe(0);
    await well();
  });

  it('a gateway whose queue file is taken away keeps one that is sound, whatever it is asked', async () => {
    const { json } = await rouse('agents', 'gateway', 'requests', 'list', 'ana', '--json');
    const said = await rouse('agents', 'gateway', 'attach', 'ana', '--fresh-queue');
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining('sound, and was kept')]);
    expect((await rouse('agents', 'gateway', 'requests', 'list', 'ana', '--json')).json).toEqual(json);
  });
});

describe('a gateway that cannot read mail', () => {
  it('a gateway that cannot read mail says so once it has looked, and goes on by itself', async () => {
    const mailbox = path.join(world.env['ROUSE_HOME']!, 'mailbox');
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '1');
    fs.renameSync(mailbox, `${mailbox}.away`);
    await world.until(async () => /its mailbox cannot be read/.test((await ana()).needs_you ?? ''));
    await world.until(async () => (await client().health()).status === 'degraded');
    expect(await client().health()).toMatchObject({
      status: 'degraded',
      reasons: [expect.stringContaining(`there is no mailbox root at ${mailbox}`)],
    });
    for (const words of [['ls'], ['status', 'ana'], ['why', 'ana'], ['doctor']])
      expect((await rouse(...words)).stdout).toContain('its mailbox cannot be read');
    fs.rmSync(mailbox, { recursive: true, force: true });
    fs.renameSync(`${mailbox}.away`, mailbox);
    await world.until(async () => (await ana()).needs_you === null);
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '60');
  });
});

describe('a gateway whose process is stopped', () => {
  it('a gateway whose process is stopped, hosted or not, is not shown as idle, and is replaced by the command that is named', async () => {
    for (const [mode, fix] of [
      ['--background', 'rouse agents gateway attach ana'],
      ['--hosted', 'rouse host start'],
    ] as const) {
      expect((await rouse('agents', 'gateway', 'attach', 'ana', mode)).code).toBe(0);
      await well();
      const { pid } = JSON.parse(fs.readFileSync(at('run', 'current-instance.json'), 'utf8'));
      process.kill(pid, 'SIGSTOP');
      await world.until(async () => /is stopped \(SIGSTOP\)/.test((await ana()).needs_you ?? ''));
      expect(await ana()).toMatchObject({ state: 'needs_you', reason: 'gateway in trouble' });
      for (const words of [['ls'], ['status', 'ana'], ['why', 'ana'], ['send', 'ana', 'hi', '--body', 'x']])
        expect((await rouse(...words)).stdout).toContain(`"${fix}"`);
      expect((await rouse(...fix.split(' ').slice(1))).code).toBe(0);
      await well();
      expect(await wakes()).toMatchObject(SETTINGS);
    }
  });
});

describe('an agent whose mailbox is gone', () => {
  it('an agent whose mailbox is gone needs you at once, whenever its gateway next looks, and has another by the command that is named', async () => {
    const store = path.join(world.env['ROUSE_HOME']!, 'mailbox');
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '3600');
    await well();
    const [fix, words] = ['rouse agents mailbox register ana', ['agents', 'mailbox', 'register', 'ana']];
    fs.renameSync(store, `${store}.away`);
    expect(await ana()).toMatchObject({ state: 'needs_you', reason: 'gateway in trouble', gateway: 'live' });
    for (const said of [await rouse('ls'), await rouse('status', 'ana'), await rouse('why', 'ana')])
      expect(said.stdout).toContain(`its mailbox cannot be read: ${store}`);
    const { checks } = (await rouse('doctor', '--json')).json;
    expect(checks).toContainEqual(expect.objectContaining({ id: 'agent.ana', status: 'problem', fix }));
    expect((await rouse('ls')).stdout).toContain(`"${fix}"`);
    expect((await rouse('ls')).stdout).not.toContain('rouse open');
    expect((await rouse(...words)).code).toBe(0);
    await world.until(async () => (await ana()).needs_you === null);
    expect((await rouse('send', 'ana', 'hello', '--body', 'x')).code).toBe(0);
    fs.rmSync(store, { recursive: true, force: true });
    fs.renameSync(`${store}.away`, store);
    await world.until(async () => (await ana()).needs_you === null);
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '60');
  });
});

describe('wakes that were turned off', () => {
  it('wakes that were turned off are reported as off', async () => {
    expect((await rouse('agents', 'gateway', 'mail-notifier', 'disable', 'ana')).code).toBe(0);
    const said = await rouse('ls');
    expect(said.stdout).toMatch(/note: ana: wakes are turned off, so its mail waits; "rouse agents gateway/);
    expect((await rouse('why', 'ana')).stdout).toMatch(/wakes are off/);
    expect((await rouse('send', 'ana', 'hello', '--body', 'x')).stdout).toMatch(/ana will not be woken/);
    await rouse('agents', 'gateway', 'mail-notifier', 'enable', 'ana', '--interval-seconds', '60');
    expect((await rouse('ls')).stdout).not.toContain('note:');
  });
});

describe('an agent that waits for a person', () => {
  it('mail for an agent that waits for a person is sent with the note that it is not woken yet, and why', async () => {
    const asking = ['agents', 'prompt', 'ana', '--prompt', '[[dialog=question]]'];
    await world.until(async () => (await rouse(...asking)).code === 0);
    await world.until(async () => /asks a question/.test((await ana()).needs_you ?? ''));
    const { stdout } = await rouse('send', 'ana', 'hello', '--body', 'x');
    expect(stdout).toMatch(
      /^note: ana will not be woken for it yet: it asks a question; .*"rouse answer ana"/m,
    );
    await rouse('answer', 'ana');
    expect((await rouse('answer', 'ana', '1')).code).toBe(0);
    await well();
    expect((await rouse('send', 'ana', 'hello', '--body', 'x')).stdout).not.toContain('not be woken');
  });
});

/** Only root may mount. */
const isRoot = process.getuid?.() === 0;

describe('a gateway that cannot publish', () => {
  it.skipIf(!isRoot)('a gateway on a file system that turned read-only does not look well', () => {
    const words = [path.join(ROOT, 'dist/rouse.cjs'), 'ls', '--json'];
    const script = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"`;
    const args = ['-m', 'sh', '-c', script, 'sh', root, process.execPath, ...words];
    const { stdout, stderr } = spawnSync('unshare', args, { env: world.env, encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout).agents[0]).toMatchObject({
      state: 'needs_you',
      needs_you: expect.stringMatching(
        /gateway cannot be written: the file system is read-only; make room there or make it writable/,
      ),
    });
  });

  it('a gateway that cannot publish takes its state back, and is not mistaken for one that is gone', async () => {
    await well();
    fs.rmSync(at('glance.json'));
    fs.mkdirSync(at('glance.json'));
    await rouse('send', 'ana', 'something to say', '--body', 'x');
    await world.until(async () =>
      /cannot be written|cannot write its files/.test((await ana()).needs_you ?? ''),
    );
    expect(await ana()).toMatchObject({ state: 'needs_you', reason: 'gateway in trouble', gateway: 'live' });
    fs.rmdirSync(at('glance.json'));
    await world.until(async () => (await ana()).needs_you === null);
  });
});

describe.each(disksFor(import.meta.filename))('a full disk: $title', ({ kind, reason }) => {
  it.skipIf(reason)(
    'every command that only reads reports a full disk, and no longer when there is room',
    async () => {
      const small = smallDisk(kind, 32);
      const before = world;
      const { TMPDIR } = process.env;
      process.env['TMPDIR'] = small.directory;
      world = new TestWorld();
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
      onTestFinished(async () => {
        small.empty();
        await world.close();
        world = before;
      });
      await launch();
      small.fill();
      await expect(client().submitPrompt({ prompt: 'no room' })).rejects.toThrow();
      await everywhere(/cannot be written/, 'rouse doctor');
      small.empty();
      await world.until(async () => (await ana()).needs_you === null);
      expect((await client().health()).status).toBe('ok');
    },
  );
});
