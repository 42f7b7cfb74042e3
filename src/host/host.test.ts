import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { currentTenant, Emitter, Ending, FakeClock, runAsTenant } from '../base/index.ts';
import { limit, setLimits } from '../domain/index.ts';
import { Host } from './host.ts';
import { type HostedStart, HostJournal } from './host-journal.ts';
import type { Running } from './hosted-gateway.ts';
import { HostedNotices } from './hosted-notices.ts';

const ending = new Ending();
afterEach(() => ending.run());

interface Inside {
  start: HostedStart;
  restarts: number;
  /** Runs code in the name of this gateway. */
  act: <T>(work: () => T) => T;
  stopped: { reason: string; handOver: boolean | undefined }[];
}

/** A host whose gateways only record what they were asked. */
function house(refuse: (root: string) => boolean = () => false) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-host-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const clock = new FakeClock();
  const inside = new Map<string, Inside>();
  let emptied = 0;
  const start = async (started: HostedStart, restarts: number): Promise<Running> => {
    if (refuse(started.root)) throw new Error('the queue is not a database');
    const work = new Emitter<() => unknown>();
    const bound = currentTenant();
    const stopped: Inside['stopped'] = [];
    let done: () => void = () => {};
    const end = new Promise<void>((resolve) => {
      done = resolve;
    });
    expect(bound).toBeDefined();
    setLimits(started.env);
    const act = <T>(what: () => T): T => {
      let result: T | undefined;
      const stop = work.on(() => {
        result = what();
      });
      runAsTenant(bound!, () => work.emit(what));
      stop();
      return result as T;
    };
    inside.set(path.basename(started.root), { start: started, restarts, act, stopped });
    return {
      port: 1000 + inside.size,
      stopped: end,
      stop: async (reason, options) => {
        stopped.push({ reason, handOver: options?.handOver });
        done();
      },
    };
  };
  const host = new Host({
    journal: new HostJournal(),
    emptied: () => emptied++,
    stop: () => {},
    notices: new HostedNotices({ open: async () => undefined, clock, firstPauseMs: 1000 }),
    hosting: {
      start,
      directory,
      clock,
      hostRestarts: 0,
      keeper: undefined,
      restarts: 2,
      firstPauseMs: 1000,
      beyondHelp: () => {},
    },
  });
  const ask = (name: string, env: Record<string, string> = {}) =>
    host.answer({ do: 'start', root: path.join(directory, name), words: [], env });
  const state = async (name: string): Promise<string | undefined> => {
    const reply = await host.answer({ do: 'status' });
    return reply.ok ? reply.gateways.find(({ root }) => root.endsWith(`/${name}`))?.state : undefined;
  };
  return { host, clock, inside, ask, state, directory, emptied: () => emptied };
}

it('an uncaught error of one gateway restarts that gateway alone, with what it was started with', async () => {
  const { host, clock, inside, ask, state, directory } = house();
  fs.mkdirSync(path.join(directory, 'a', 'logs'), { recursive: true });
  await ask('a');
  await ask('b');
  await expect.poll(() => state('b')).toBe('running');
  const first = inside.get('a')!;
  expect(first.act(() => host.blame(new Error('boom')))).toBe(true);
  await expect.poll(() => state('a')).toBe('waiting');
  expect(first.stopped).toEqual([{ reason: 'an uncaught error', handOver: true }]);
  // It is reported once.
  expect(fs.readFileSync(path.join(directory, 'a', 'logs', 'gateway.err'), 'utf8')).toBe('gateway: boom\n');
  await clock.advance(1000);
  await expect.poll(() => state('a')).toBe('running');
  expect(inside.get('a')).toMatchObject({ restarts: 1, start: first.start });
  expect(inside.get('b')).toMatchObject({ restarts: 0, stopped: [] });
});

it('an error outside of every gateway is blamed on none', async () => {
  const { host, ask, state } = house();
  await ask('a');
  await expect.poll(() => state('a')).toBe('running');
  expect(host.blame(new Error('boom'))).toBe(false);
});

it('what a listener of one gateway throws is written to the error file of that gateway only', async () => {
  const { inside, ask, state, directory } = house();
  await ask('a');
  await ask('b');
  await expect.poll(() => state('b')).toBe('running');
  fs.mkdirSync(path.join(directory, 'a', 'logs'), { recursive: true });
  inside.get('a')!.act(() => {
    throw new Error('of a listener');
  });
  expect(fs.readFileSync(path.join(directory, 'a', 'logs', 'gateway.err'), 'utf8')).toContain(
    'of a listener',
  );
  expect(fs.existsSync(path.join(directory, 'b', 'logs', 'gateway.err'))).toBe(false);
});

it('each gateway of a host has the limits of the environment it was attached with', async () => {
  const { inside, ask, state } = house();
  const standard = limit('nameLength');
  await ask('a', { ROUSE_MAX_NAME_LENGTH: '7' });
  await ask('b');
  await expect.poll(() => state('b')).toBe('running');
  expect(inside.get('a')!.act(() => limit('nameLength'))).toBe(7);
  expect(inside.get('b')!.act(() => limit('nameLength'))).toBe(standard);
  expect(limit('nameLength')).toBe(standard);
});

it('a hosted gateway that cannot start is not held; one that keeps failing stays down and reports it', async () => {
  let broken = true;
  const { host, clock, inside, ask, state, directory, emptied } = house(
    (root) => broken && root.endsWith('/bad'),
  );
  await ask('bad');
  await expect.poll(emptied).toBe(1);
  broken = false;
  await ask('bad');
  await ask('good');
  await expect.poll(() => state('good')).toBe('running');
  broken = true;
  inside.get('bad')!.act(() => host.blame(new Error('boom')));
  for (const pause of [1000, 2000]) {
    await expect.poll(() => state('bad')).toBe('waiting');
    await clock.advance(pause);
  }
  await expect.poll(() => state('bad')).toBe('down');
  const keeper = JSON.parse(fs.readFileSync(path.join(directory, 'bad', 'run', 'keeper.json'), 'utf8'));
  expect(keeper).toMatchObject({ state: 'started_up', restarts: 2, host_directory: directory });
  expect(await state('good')).toBe('running');
});

it('the host answers a request to end a gateway once the gateway has ended, and is empty after the last', async () => {
  const { host, inside, ask, directory, emptied } = house();
  await ask('a');
  await ask('b');
  const end = (name: string) =>
    host.answer({ do: 'end', root: path.join(directory, name), hand_over: name === 'b' });
  expect(await end('a')).toMatchObject({ ok: true, held: true });
  expect(inside.get('a')!.stopped).toEqual([{ reason: 'SIGTERM', handOver: false }]);
  expect([emptied(), host.size]).toEqual([0, 1]);
  expect(await end('a')).toMatchObject({ ok: true, held: false });
  await end('b');
  expect(inside.get('b')!.stopped).toEqual([{ reason: 'restart', handOver: true }]);
  expect([emptied(), host.size]).toEqual([1, 0]);
});
