import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FakeClock, isRouseError, Loop, silentLog } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import type { ReminderDefinition } from '../../domain/index.ts';
import type { DeliveryResult } from '../../terminal/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { ExecutionSlot, LanePause } from '../dispatch/index.ts';
import { Turns } from '../turns/index.ts';
import { LIVE_REMINDER_MIGRATIONS, REMINDER_MIGRATIONS, ReminderStore, Reminders } from './index.ts';

/** One step of time: an eighth of a second, which a double holds exactly. */
const TICK_MS = 125;
const START = Date.parse('2026-01-01T00:00:00.000Z');

/** `turned_away`: the lane typed nothing because it saw that the agent may not be disturbed. */
type DeliveryEnd = 'submitted' | 'failed' | 'turned_away';

interface Draft {
  ranking: number;
  paused: boolean;
  kind: 'prompt' | 'keys';
  start: { after: number } | { at: number };
  interval: number | null;
  durable: 'no' | 'skip' | 'once';
}

type Due = { wall: number } | { steady: number };

interface ModelReminder extends Draft {
  title: string;
  due: Due;
  anchor: Due;
  running: boolean;
  deleted: boolean;
  lastStarted: number | null;
  lastEnding: DeliveryEnd | null;
}

/**
 * The specification of reminders as the simplest possible program: time goes tick by tick, the leader is searched again at
 * every look, nothing is stored that can be computed. `things` are in order of creation.
 */
class Model {
  now = 0;
  /** Ticks by which the wall clock was corrected. */
  correction = 0;
  things: ModelReminder[] = [];
  open = true;
  ready = true;
  holding = false;
  endings: DeliveryEnd[] = [];
  sent: string[] = [];
  turnedAway = 0;
  pausedUntil = 0;

  get wall(): number {
    return this.now + this.correction;
  }

  leader(): ModelReminder | undefined {
    return this.things.reduce<ModelReminder | undefined>(
      (best, each) => (best && best.ranking <= each.ranking ? best : each),
      undefined,
    );
  }

  left(due: Due): number {
    return 'wall' in due ? due.wall - this.wall : due.steady - this.now;
  }

  first(draft: Draft): Due {
    return 'after' in draft.start ? { steady: this.now + draft.start.after } : { wall: draft.start.at };
  }

  create(title: string, draft: Draft): void {
    const due = this.first(draft);
    const born = { running: false, deleted: false, lastStarted: null, lastEnding: null };
    this.things.push({ ...draft, ...born, title, due, anchor: due });
    this.settle();
  }

  /** Returns false if it is refused. */
  replace(thing: ModelReminder, draft: Draft): boolean {
    if (thing.running) return false;
    const due = this.first(draft);
    Object.assign(thing, draft, { due, anchor: due });
    this.settle();
    return true;
  }

  remove(thing: ModelReminder): void {
    if (thing.running) thing.deleted = true;
    else this.drop(thing);
    this.settle();
  }

  drop(thing: ModelReminder): void {
    this.things = this.things.filter((each) => each !== thing);
  }

  /** Delivers whatever may be delivered at this instant. */
  settle(): void {
    for (;;) {
      const leader = this.leader();
      const busy = this.things.some((each) => each.running);
      if (!leader || busy || leader.paused || this.left(leader.due) > 0) return;
      if (!this.open || (leader.kind === 'prompt' && !this.ready) || this.pausedUntil > this.now) return;
      leader.running = true;
      leader.lastStarted = this.wall;
      if (this.holding) return;
      this.finish(leader);
    }
  }

  finish(thing: ModelReminder): void {
    const ending = this.endings.shift() ?? 'submitted';
    thing.running = false;
    if (ending === 'turned_away') {
      this.pausedUntil = this.now + Math.min(480, 8 * 2 ** this.turnedAway++);
      if (thing.deleted) this.drop(thing);
      return;
    }
    this.turnedAway = 0;
    this.pausedUntil = 0;
    thing.lastEnding = ending;
    if (ending === 'submitted') this.sent.push(thing.title);
    if (thing.deleted) this.drop(thing);
    else this.next(thing);
  }

  /** After a delivery, or instead of a missed one. */
  next(thing: ModelReminder): void {
    if (thing.interval === null) {
      this.drop(thing);
      return;
    }
    const anchor = this.now + this.left(thing.anchor);
    let slot = anchor + thing.interval;
    while (slot <= this.now) slot += thing.interval;
    thing.anchor = { steady: anchor };
    thing.due = { steady: slot };
  }

  release(): void {
    this.holding = false;
    const running = this.things.find((each) => each.running);
    if (running) this.finish(running);
    this.settle();
  }

  advance(ticks: number): void {
    for (let i = 0; i < ticks; i++) {
      this.now++;
      this.settle();
    }
  }

  /**
   * The process ends and another begins; reminders that are not durable are lost. The time in between counts. Afterwards
   * delays and intervals are steady again, and a named time in the future follows the wall clock.
   */
  restart(ticksDown: number): void {
    this.things = this.things.filter((each) => each.durable !== 'no');
    for (const thing of this.things) {
      const named = 'at' in thing.start && this.left(thing.due) === this.left(thing.anchor);
      const kept = (due: Due): Due =>
        named ? { wall: this.wall + this.left(due) } : { steady: this.now + this.left(due) };
      Object.assign(thing, { due: kept(thing.due), anchor: kept(thing.anchor) });
      Object.assign(thing, { lastStarted: null, lastEnding: null });
    }
    this.now += ticksDown;
    this.turnedAway = 0;
    this.pausedUntil = 0;
    for (const thing of [...this.things]) {
      if (this.left(thing.due) <= 0 && thing.durable === 'skip') this.next(thing);
    }
    this.settle();
  }

  view() {
    const leader = this.leader();
    return {
      effective: leader?.title ?? null,
      sent: this.sent,
      reminders: [...this.things]
        .sort((a, b) => (a.ranking === b.ranking ? 0 : a.ranking < b.ranking ? -1 : 1))
        .map((each) => ({
          title: each.title,
          ranking: each.ranking,
          paused: each.paused,
          selection_state: each === leader ? 'effective' : 'blocked',
          blocked_by: each === leader ? null : leader!.title,
          delivery_state: each.running ? 'executing' : this.left(each.due) <= 0 ? 'overdue' : 'scheduled',
          due: this.wall + this.left(each.due),
          interval: each.interval,
          last_started: each.lastStarted,
          last_ending: each.lastEnding,
        })),
    };
  }
}

/** A surface that takes keys and prompts alike, waits while held back, and ends deliveries as scripted. */
class ScriptedSurface extends FakeSurface {
  endings: DeliveryEnd[] = [];
  readonly sent: string[] = [];
  #held: Promise<void> | undefined;
  #release: () => void = () => {};

  override deliver = ({ text }: { text: string }): Promise<DeliveryResult> => this.#take(text);
  override sendKeys = ({ sequence }: { sequence: string }): Promise<DeliveryResult> =>
    this.#take(sequence.replace('<[Enter]>', ''));

  holdBack(): void {
    this.#held = new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  release(): void {
    this.#release();
    this.#held = undefined;
  }

  async #take(text: string): Promise<DeliveryResult> {
    await this.#held;
    const ending = this.endings.shift() ?? 'submitted';
    if (ending === 'turned_away')
      return { outcome: 'not_ready', reasons: ['seen by the lane'], evidence: [], untouched: true };
    if (ending === 'submitted') this.sent.push(text);
    return { outcome: ending, reasons: [], evidence: [], untouched: false };
  }
}

/** The real reminders on a fake clock. */
class Real {
  readonly clock = new FakeClock(new Date(START).toISOString());
  readonly db: Sqlite = openSqlite({
    file: ':memory:',
    migrations: [...REMINDER_MIGRATIONS, ...LIVE_REMINDER_MIGRATIONS],
  });
  readonly surface = new ScriptedSurface();
  open = true;
  ids = new Map<string, string>();
  #reminders!: Reminders;
  #loop!: Loop;
  #titles = 0;

  constructor() {
    this.#begin();
  }

  #begin(): void {
    const { clock, surface } = this;
    const slot = new ExecutionSlot();
    const pause = new LanePause(clock);
    this.#reminders = new Reminders({
      backend: 'local_interactive',
      surface,
      slot,
      pause,
      turns: new Turns(clock),
      log: silentLog,
      clock,
      store: new ReminderStore(this.db),
      events: { write: () => {}, close: () => {} },
      blockedBy: () => (this.open && !slot.current ? undefined : 'closed'),
      wake: () => this.#loop.wake(),
    });
    surface.changed.on(() => {
      pause.interrupt();
      this.#loop.wake();
    });
    slot.changed.on(() => this.#loop.wake());
    this.#reminders.book.restore();
    this.#reminders.left.endUnexplained(undefined);
    this.#loop = new Loop({ name: 'reminders', clock, pass: () => this.#reminders.pass() }).start();
  }

  newTitle(): string {
    return `r${this.#titles++}`;
  }

  create(titles: string[], drafts: Draft[]): void {
    const made = this.#reminders.edit.create(drafts.map((draft, i) => definition(titles[i]!, draft)));
    made.reminders.forEach((each, i) => {
      expect(each.title).toBe(titles[i]);
      this.ids.set(each.title, each.reminder_id);
    });
  }

  /** Returns false if it is refused because it is being delivered. */
  replace(title: string, draft: Draft): boolean {
    try {
      this.#reminders.edit.replace(this.ids.get(title)!, definition(title, draft));
      return true;
    } catch (error) {
      if (isRouseError(error) && error.facts['error_code'] === 'reminder_executing') return false;
      throw error;
    }
  }

  remove(title: string): void {
    expect(this.#reminders.edit.remove(this.ids.get(title)!).deleted).toBe(true);
  }

  wake(): void {
    this.#loop.wake();
  }

  async restart(ticksDown: number): Promise<void> {
    await this.#loop.stop();
    this.#reminders.book.close({ handOver: false });
    await this.clock.advance(ticksDown * TICK_MS);
    this.#begin();
  }

  async end(): Promise<void> {
    this.surface.release();
    await this.#loop.stop();
    this.db.close();
  }

  view() {
    const { effective_reminder_id, reminders } = this.#reminders.edit.list();
    const titleOf = (id: string | null) => reminders.find((each) => each.reminder_id === id)?.title ?? null;
    const ticks = (stamp: string | null) => (stamp === null ? null : (Date.parse(stamp) - START) / TICK_MS);
    for (const each of reminders) expect(this.#reminders.edit.get(each.reminder_id)).toMatchObject(each);
    return {
      effective: titleOf(effective_reminder_id),
      sent: this.surface.sent,
      reminders: reminders.map((each) => ({
        title: each.title,
        ranking: each.ranking,
        paused: each.paused,
        selection_state: each.selection_state,
        blocked_by: titleOf(each.blocked_by_reminder_id),
        delivery_state: each.delivery_state,
        due: ticks(each.next_due_at_utc),
        interval: each.interval_seconds === null ? null : (each.interval_seconds * 1000) / TICK_MS,
        last_started: ticks(each.last_started_at_utc),
        last_ending: each.last_delivery?.outcome ?? null,
      })),
    };
  }
}

function definition(title: string, draft: Draft): ReminderDefinition {
  const { kind, start, interval, durable, ranking, paused } = draft;
  return {
    title,
    ranking,
    paused,
    mode: interval === null ? 'one_off' : 'repeat',
    ...(kind === 'prompt' ? { prompt: title } : { send_keys: { sequence: title, ensure_enter: true } }),
    ...('after' in start
      ? { start_after_seconds: (start.after * TICK_MS) / 1000 }
      : { deliver_at_utc: new Date(START + start.at * TICK_MS).toISOString() }),
    ...(interval !== null && { interval_seconds: (interval * TICK_MS) / 1000 }),
    ...(durable !== 'no' && { durable: true, missed: durable }),
  };
}

type Step = (model: Model, real: Real) => Promise<void> | void;

class Command implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #step: Step;
  readonly #when: (model: Readonly<Model>) => boolean;

  constructor(name: string, step: Step, when: (model: Readonly<Model>) => boolean = () => true) {
    this.#name = name;
    this.#step = step;
    this.#when = when;
  }

  check(model: Readonly<Model>): boolean {
    return this.#when(model);
  }

  async run(model: Model, real: Real): Promise<void> {
    await this.#step(model, real);
    await real.clock.advance(0);
    expect(real.view()).toEqual(model.view());
  }

  toString(): string {
    return this.#name;
  }
}

const some = (model: Readonly<Model>): boolean => model.things.length > 0;
const pick = (model: Model, n: number): ModelReminder => model.things[n % model.things.length]!;
const idle = (model: Readonly<Model>): boolean => !model.things.some((each) => each.running);

const ranking = fc.oneof(fc.integer({ min: -2, max: 2 }), fc.constantFrom(1e300, -1e300));
const draft: fc.Arbitrary<Draft> = fc.record({
  ranking,
  paused: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  kind: fc.constantFrom('prompt', 'keys'),
  start: fc.oneof(
    fc.record({ after: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ at: fc.integer({ min: -20, max: 400 }) }),
  ),
  interval: fc.option(fc.integer({ min: 1, max: 24 })),
  durable: fc.constantFrom('no', 'no', 'skip', 'once'),
});
const index = fc.nat({ max: 1000 });

/** The current definition with a change: what the CLI sends for pause and rerank. */
const draftOf = (model: Model, thing: ModelReminder, change: Partial<Draft>): Draft => ({
  ranking: thing.ranking,
  paused: thing.paused,
  kind: thing.kind,
  interval: thing.interval,
  durable: thing.durable,
  start: { at: model.wall + model.left(thing.due) },
  ...change,
});

function put(model: Model, real: Real, thing: ModelReminder, wanted: Draft): void {
  const taken = real.replace(thing.title, wanted);
  expect(taken).toBe(model.replace(thing, wanted));
}

const COMMANDS: fc.Arbitrary<fc.AsyncCommand<Model, Real>>[] = [
  fc.array(draft, { minLength: 1, maxLength: 3 }).map(
    (drafts) =>
      new Command(`create ${JSON.stringify(drafts)}`, (model, real) => {
        const titles = drafts.map(() => real.newTitle());
        real.create(titles, drafts);
        // The whole batch exists before the first of it can be delivered.
        const { settle } = model;
        model.settle = () => {};
        for (const [i, each] of drafts.entries()) model.create(titles[i]!, each);
        model.settle = settle;
        model.settle();
      }),
  ),
  fc
    .tuple(index, draft)
    .map(
      ([n, wanted]) =>
        new Command(
          `put ${n} ${JSON.stringify(wanted)}`,
          (model, real) => put(model, real, pick(model, n), wanted),
          some,
        ),
    ),
  fc
    .tuple(index, fc.boolean())
    .map(
      ([n, paused]) =>
        new Command(
          `${paused ? 'pause' : 'resume'} ${n}`,
          (model, real) => put(model, real, pick(model, n), draftOf(model, pick(model, n), { paused })),
          some,
        ),
    ),
  fc
    .tuple(index, ranking)
    .map(
      ([n, rank]) =>
        new Command(
          `rerank ${n} to ${rank}`,
          (model, real) =>
            put(model, real, pick(model, n), draftOf(model, pick(model, n), { ranking: rank })),
          some,
        ),
    ),
  index.map(
    (n) =>
      new Command(
        `delete ${n}`,
        (model, real) => {
          const thing = pick(model, n);
          real.remove(thing.title);
          model.remove(thing);
        },
        some,
      ),
  ),
  fc.integer({ min: 1, max: 60 }).map(
    (ticks) =>
      new Command(`advance ${ticks}`, async (model, real) => {
        await real.clock.advance(ticks * TICK_MS);
        model.advance(ticks);
      }),
  ),
  fc.integer({ min: -200, max: 200 }).map(
    (ticks) =>
      new Command(`wall clock jumps by ${ticks}`, (model, real) => {
        real.clock.jumpWall(ticks * TICK_MS);
        real.wake();
        model.correction += ticks;
        model.settle();
      }),
  ),
  fc.boolean().map(
    (open) =>
      new Command(`gateway ${open ? 'free' : 'busy'}`, (model, real) => {
        real.open = open;
        real.wake();
        model.open = open;
        model.settle();
      }),
  ),
  fc.boolean().map(
    (ready) =>
      new Command(`agent ${ready ? 'ready' : 'not ready'}`, (model, real) => {
        real.surface.show({ ready, reasons: ready ? [] : ['busy'] });
        model.ready = ready;
        model.pausedUntil = 0;
        model.settle();
      }),
  ),
  fc
    .array(fc.constantFrom<DeliveryEnd>('submitted', 'failed', 'turned_away'), { minLength: 1, maxLength: 3 })
    .map(
      (endings) =>
        new Command(`next deliveries end as ${endings}`, (model, real) => {
          real.surface.endings.push(...endings);
          model.endings.push(...endings);
        }),
    ),
  fc.constant(
    new Command(
      'the next delivery takes long',
      (model, real) => {
        real.surface.holdBack();
        model.holding = true;
      },
      (model) => !model.holding && idle(model),
    ),
  ),
  fc.constant(
    new Command(
      'the long delivery ends',
      async (model, real) => {
        real.surface.release();
        await real.clock.advance(0);
        model.release();
      },
      (model) => model.holding,
    ),
  ),
  fc.integer({ min: 0, max: 100 }).map(
    (ticks) =>
      new Command(
        `restart after ${ticks}`,
        async (model, real) => {
          await real.restart(ticks);
          model.restart(ticks);
        },
        idle,
      ),
  ),
];

const full = process.env['ROUSE_PROOF'] === 'full';

describe('reminders', () => {
  it('reminders show and do what the specification says, whatever happens in whatever order', {
    timeout: 600_000,
  }, async () => {
    let steps = 0;
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 120, size: '+1' }), async (commands) => {
        const real = new Real();
        try {
          await fc.asyncModelRun(() => ({ model: new Model(), real }), commands);
          steps += [...commands].length;
        } finally {
          await real.end();
        }
      }),
      { numRuns: full ? 1500 : 120, ...(full ? {} : { seed: 20260101 }) },
    );
    expect(steps).toBeGreaterThan(full ? 30_000 : 2000);
  });
});
