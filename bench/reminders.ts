import { FakeClock, Loop, silentLog, systemClock } from '../src/base/index.ts';
import { openSqlite } from '../src/db/index.ts';
import type { ReminderDefinition } from '../src/domain/index.ts';
import { ExecutionSlot, LanePause } from '../src/gateway/dispatch/index.ts';
import {
  LIVE_REMINDER_MIGRATIONS,
  REMINDER_MIGRATIONS,
  type ReminderDependencies,
  ReminderStore,
  Reminders,
} from '../src/gateway/reminders/index.ts';
import { Turns } from '../src/gateway/turns/index.ts';
import { FakeSurface } from '../src/terminal/index.ts';

/**
 * Many live reminders: the cost of create, list, a look and a delivery, the delay of a due one, and the cost of idle.
 * `npm run bench -- reminders [count]`; by default 10,000.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const count = Number(args[0] ?? 10_000);
  print(`cost compared with a set of 100, the same code in the same run`);
  for (const size of [100, count]) costs(print, size);
  await looks(print, [100, count]);
  await lateness(print, count);
  await idle(print, count);
}

const definition = (ranking: number, seconds: number, interval?: number): ReminderDefinition => ({
  mode: interval === undefined ? 'one_off' : 'repeat',
  title: `reminder ${ranking}`,
  prompt: 'Review the inbox.',
  ranking,
  paused: false,
  start_after_seconds: seconds,
  ...(interval !== undefined && { interval_seconds: interval }),
});

function open(changes: Partial<ReminderDependencies> = {}) {
  const clock = changes.clock ?? systemClock;
  let written = 0;
  const db = openSqlite({
    file: ':memory:',
    migrations: [...REMINDER_MIGRATIONS, ...LIVE_REMINDER_MIGRATIONS],
  });
  const reminders = new Reminders({
    backend: 'local_interactive',
    surface: new FakeSurface(),
    slot: new ExecutionSlot(),
    pause: new LanePause(clock),
    turns: new Turns(clock),
    store: new ReminderStore(db),
    events: {
      write() {
        written++;
      },
      close() {},
    },
    log: silentLog,
    clock,
    blockedBy: () => undefined,
    wake: () => {},
    ...changes,
  });
  return { reminders, events: () => written };
}

/** Shuffled, so that each insertion lands anywhere in the order. */
function rankings(count: number): number[] {
  return Array.from({ length: count }, (_, i) => (i * 7919) % count);
}

function costs(print: (line: string) => void, count: number): void {
  const { reminders } = open();
  const all = rankings(count).map((rank) => definition(rank, 1e6));
  const create = timed(() => {
    for (const each of all) reminders.edit.create([each]);
  });
  const list = timed(() => reminders.edit.list());
  print(
    `${String(count).padStart(7)} live: create ${micros(create / count)} each   list all ${list.toFixed(1)} ms (${micros(list / count)} each)`,
  );
}

/** A look of the scheduler, and a complete delivery of a leader that repeats at once. */
async function looks(print: (line: string) => void, sizes: number[]): Promise<void> {
  for (const count of sizes) {
    const { reminders } = open();
    reminders.edit.create(rankings(count).map((rank) => definition(rank, 1e6)));
    const passes = 20_000;
    const look = await timedAsync(async () => {
      for (let i = 0; i < passes; i++) await reminders.pass();
    });
    const clock = new FakeClock();
    const busy = open({ clock });
    busy.reminders.edit.create(rankings(count).map((rank) => definition(rank + 1, 1e6)));
    busy.reminders.edit.create([definition(0, 0.001, 0.001)]);
    const deliveries = 2000;
    const delivery = await timedAsync(async () => {
      for (let i = 0; i < deliveries; i++) {
        await busy.reminders.pass();
        await clock.advance(1);
      }
    });
    print(
      `${String(count).padStart(7)} live: a look ${micros(look / passes)}   a delivery ${micros(delivery / deliveries)} (fake surface and clock included)`,
    );
  }
}

/** In real time, one reminder after the other becomes due and is the leader, ahead of all that wait. */
async function lateness(print: (line: string) => void, count: number): Promise<void> {
  const samples = 300;
  const everyMs = 10;
  const late: number[] = [];
  let begun = 0;
  const surface = new FakeSurface();
  const deliver = surface.deliver.bind(surface);
  surface.deliver = (prompt) => {
    late.push(performance.now() - begun - Number(prompt.text) * everyMs);
    return deliver(prompt);
  };
  const { reminders } = open({ surface, wake: () => loop.wake() });
  const loop: Loop = new Loop({ name: 'reminders', clock: systemClock, pass: () => reminders.pass() });
  reminders.edit.create(rankings(count).map((rank) => definition(rank + samples, 1e6)));
  begun = performance.now();
  reminders.edit.create(
    Array.from({ length: samples }, (_, i) => ({
      ...definition(i, ((i + 1) * everyMs) / 1000),
      prompt: String(i + 1),
    })),
  );
  loop.start();
  while (late.length < samples) await new Promise((resolve) => setTimeout(resolve, everyMs));
  await loop.stop();
  late.sort((a, b) => a - b);
  const at = (share: number): string => late[Math.floor(late.length * share)]!.toFixed(2);
  const reached = Number(at(0.99)) < 50 ? 'reached' : 'missed';
  print(
    `lateness with ${count} live, ${samples} deliveries: p50 ${at(0.5)} ms   p99 ${at(0.99)} ms (goal p99 < 50 ms: ${reached})`,
  );
}

async function idle(print: (line: string) => void, count: number): Promise<void> {
  const clock = new FakeClock();
  let passes = 0;
  const { reminders, events } = open({ clock, wake: () => loop.wake() });
  const loop: Loop = new Loop({
    name: 'reminders',
    clock,
    pass() {
      passes++;
      return reminders.pass();
    },
  });
  reminders.edit.create(rankings(count).map((rank) => definition(rank, 1e9)));
  loop.start();
  await clock.advance(0);
  const before = [passes, events()];
  await clock.advance(24 * 3600 * 1000);
  print(
    `a day with ${count} live and none due: ${passes - before[0]!} looks, ${events() - before[1]!} writes`,
  );
  await loop.stop();
}

function timed(work: () => unknown): number {
  const begun = performance.now();
  work();
  return performance.now() - begun;
}

async function timedAsync(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

const micros = (ms: number): string => `${(ms * 1000).toFixed(1)} µs`;
