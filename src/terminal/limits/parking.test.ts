import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { NO_TURN, type TurnState } from '../../screen/index.ts';
import { firstFree, SLOT_MS, takeSlot } from './account-slots.ts';
import type { LimitSeen } from './park-until.ts';
import { Parking } from './parking.ts';

const START = '2026-11-15T14:00:00.000Z';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let directory = '';
let clock = new FakeClock(START);
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-parking-'));
  clock = new FakeClock(START);
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const IDLE: TurnState = { ...NO_TURN, phase: 'ready' };
const BUSY: TurnState = { ...NO_TURN, phase: 'active' };
const done = (): TurnState => ({
  ...IDLE,
  lastTurn: { result: 'success', source: 'explicit_input', updated_at_utc: clock.now().toISOString() },
});
const notice = (resets: string | null, more: Partial<LimitSeen> = {}): LimitSeen => ({
  text: `You've hit your limit · resets ${resets}`,
  resets,
  untilMs: null,
  cut: true,
  source: 'screen',
  ...more,
});

const open = (): Parking =>
  new Parking({
    file: path.join(directory, 'limit.json'),
    clock,
    uptime: () => clock.monotonic(),
    changed: () => {},
  });
/** Sees this, and lets the slot be taken. */
const see = async (parking: Parking, seen: LimitSeen | undefined, turn = IDLE): Promise<void> => {
  parking.look({ seen, turn, readable: true });
  await clock.advance(0);
};
const held = (parking: Parking): string | undefined => parking.hold?.value;

describe('parking at a usage limit', () => {
  it('a usage limit holds everything back until its end, and a grace after it', async () => {
    const parking = open();
    await see(parking, notice('in 2h'));
    expect(held(parking)).toBe('until 2026-11-15T16:01:15Z');
    expect(parking.view).toMatchObject({ over: false, cut: true, untilUtc: '2026-11-15T16:01:00.000Z' });
    await clock.advance(2 * HOUR + MINUTE + 13_000);
    expect(held(parking)).toBeDefined();
    await clock.advance(2000);
    expect(parking.hold).toBeNull();
    expect(parking.view).toMatchObject({ over: true });
  });

  it('another gateway continues a hold, also when the notice alone would now mean tomorrow', async () => {
    await see(open(), notice('3pm (UTC)'));
    await clock.advance(HOUR + 20 * 60_000);
    const parking = open();
    await see(parking, notice('3pm (UTC)'));
    expect(parking.hold).toBeNull();
  });

  it('a wall clock that is set does not end a hold early', async () => {
    const parking = open();
    await see(parking, notice('in 2h'));
    clock.jumpWall(5 * HOUR);
    expect(held(parking)).toBeDefined();
    await clock.advance(HOUR);
    expect(held(parking)).toBeDefined();
    await clock.advance(HOUR + MINUTE + 15_000);
    expect(parking.hold).toBeNull();
    clock.jumpWall(-6 * HOUR);
    expect(held(parking)).toBeDefined();
  });

  it('a machine that was restarted uses the wall clock alone', async () => {
    await see(open(), notice('in 2h'));
    const file = path.join(directory, 'limit.json');
    fs.writeFileSync(
      file,
      JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), boot_id: 'another' }),
    );
    clock.jumpWall(2 * HOUR + MINUTE + 15_000);
    expect(open().hold).toBeNull();
  });

  it("the end in a tool's records counts more than the words of its notice", async () => {
    const parking = open();
    await see(parking, notice('in 5 hours', { untilMs: Date.parse('2026-11-15T15:30:00Z') }));
    expect(held(parking)).toBe('until 2026-11-15T15:30:15Z');
  });

  it('an old notice whose end has passed holds nothing back for long', async () => {
    const parking = open();
    await see(parking, notice('Nov 14 at 9am (UTC)'));
    await clock.advance(15_000);
    expect(parking.hold).toBeNull();
  });

  it('a limit that stays after its end is tried again after growing pauses, and then a person is needed', async () => {
    const parking = open();
    await see(parking, notice('2:30pm (UTC)'));
    await clock.advance(HOUR / 2 + MINUTE + 15_000);
    const pauses: number[] = [];
    for (let n = 0; held(parking) !== 'stays'; n++) {
      expect(n).toBeLessThan(9);
      expect(parking.hold).toBeNull();
      const at = clock.monotonic();
      await see(parking, notice('2:30pm (UTC)'), BUSY);
      await see(parking, notice('2:30pm (UTC)'));
      while (held(parking)?.startsWith('until')) await clock.advance(1000);
      pauses.push(Math.round((clock.monotonic() - at) / 60_000));
    }
    expect(pauses).toEqual([2, 4, 8, 16, 0]);
    expect(parking.view).toMatchObject({ stays: true, over: false });
    await clock.advance(100 * HOUR);
    expect(held(parking)).toBe('stays');
    await see(parking, undefined, BUSY);
    await see(parking, undefined, done());
    expect(parking.hold).toBeNull();
  });

  it('a limit without an end is tried after half an hour, and then after growing pauses', async () => {
    const parking = open();
    await see(parking, notice(null));
    expect(held(parking)).toBe('until 2026-11-15T14:30:15Z');
    await clock.advance(HOUR / 2 + 15_000);
    await see(parking, undefined, BUSY);
    await see(parking, notice(null));
    expect(held(parking)).toBe('until 2026-11-15T15:30:30Z');
  });

  it('a notice that was cleared away still holds until its end, and a turn that ends well frees the agent', async () => {
    const parking = open();
    await see(parking, notice('in 2h'));
    await see(parking, undefined);
    expect(held(parking)).toBeDefined();
    await see(parking, undefined, BUSY);
    expect(held(parking)).toBeDefined();
    await see(parking, undefined, done());
    expect(parking.hold).toBeNull();
    expect(parking.view).toBeUndefined();
    expect(open().view).toBeUndefined();
  });

  it('an unreadable screen changes nothing', async () => {
    const parking = open();
    await see(parking, notice('in 2h'));
    parking.look({ seen: undefined, turn: done(), readable: false });
    expect(held(parking)).toBeDefined();
  });

  it('a limit that the tool waits for by itself is not parked, and spent credits never are', async () => {
    const parking = open();
    await see(parking, notice('in 9s'), BUSY);
    expect(parking.view).toBeUndefined();
    expect(held(parking)).toBe('in 9s');
    await see(parking, notice(null, { spent: true, text: 'Your credit balance is too low' }));
    expect(parking.hold).toEqual({ code: 'credits_spent', value: 'Your credit balance is too low' });
    expect(parking.view).toBeUndefined();
  });

  it('a tool that continues by itself goes first, for ten minutes at most', async () => {
    const parking = open();
    const waits = notice('11:58pm (UTC)', { untilMs: Date.parse(START) + HOUR, continues: true });
    await see(parking, waits);
    await clock.advance(HOUR + 15_000);
    expect(held(parking)).toBe('continues');
    expect(parking.view).toMatchObject({ over: false });
    await clock.advance(10 * MINUTE - 2000);
    expect(parking.nextMs).toBeLessThanOrEqual(2000);
    expect(held(parking)).toBe('continues');
    await clock.advance(2000);
    expect(parking.hold).toBeNull();
  });

  it('a tool that has continued by itself is free', async () => {
    const parking = open();
    const waits = notice('11:58pm (UTC)', { untilMs: Date.parse(START) + HOUR, continues: true });
    await see(parking, waits);
    await clock.advance(HOUR + 15_000);
    await see(parking, waits, BUSY);
    await see(parking, undefined, done());
    expect(parking.hold).toBeNull();
    expect(parking.view).toBeUndefined();
  });

  it('an end without seconds is over when its minute is', async () => {
    const parking = open();
    await see(parking, notice('3pm (UTC)'));
    expect(held(parking)).toBe('until 2026-11-15T15:01:15Z');
    await see(parking, notice('2026-11-15T15:00:20Z'));
    expect(held(parking)).toBe('until 2026-11-15T15:00:35Z');
  });

  it('with the policy off nothing is held back', async () => {
    const parking = open();
    await see(parking, notice('in 2h'));
    parking.follow(() => 'off');
    expect(parking.hold).toBeNull();
    expect(parking.view).toBeUndefined();
  });

  it.each(['', '{', '[]', '{"id":1}', '{"id":"a","text":"b","until_utc":"never","tries":0}'])(
    'a stored hold that is damaged (%j) is ignored',
    (text) => {
      fs.writeFileSync(path.join(directory, 'limit.json'), text);
      expect(open().hold).toBeNull();
    },
  );
});

describe('the agents of one account', () => {
  it('50 agents of one account begin one after the other', async () => {
    const fromMs = Date.parse(START);
    const slots = await Promise.all(
      Array.from({ length: 50 }, () =>
        takeSlot(directory, { tool: 'claude', home: '/h' }, { fromMs, clock }),
      ),
    );
    slots.sort((a, b) => a - b);
    expect(slots).toEqual(Array.from({ length: 50 }, (_, n) => fromMs + n * SLOT_MS));
    expect(await takeSlot(directory, { tool: 'codex', home: '/h' }, { fromMs, clock })).toBe(fromMs);
  });

  it('an agent with another end does not wait for those before and after it', () => {
    expect(firstFree([100_000_000], 0)).toBe(0);
    expect(firstFree([0, 5000, 20_000], 1000)).toBe(10_000);
    expect(firstFree([0, 5000, 12_000], 1000)).toBe(17_000);
  });

  it('a damaged file of an account counts as empty', async () => {
    const account = { tool: 'claude', home: '/h' };
    await takeSlot(directory, account, { fromMs: 0, clock });
    for (const name of fs.readdirSync(directory).filter((each) => each.endsWith('.json')))
      fs.writeFileSync(path.join(directory, name), '{');
    expect(await takeSlot(directory, account, { fromMs: 7, clock })).toBe(7);
  });
});
