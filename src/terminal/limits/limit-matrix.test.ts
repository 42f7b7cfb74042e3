import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { proofReport } from '../../../test/support/proof-report.ts';
import { drawnFor, FULL } from '../../../test/support/sample.ts';
import { FakeClock } from '../../base/index.ts';
import { limitIn, NO_TURN } from '../../screen/index.ts';
import type { LimitSeen } from './park-until.ts';
import { Parking } from './parking.ts';

/** Sources × banners × zones × daylight saving × clock steps × restarts, each on a fake clock. */
const CASES = FULL ? 6000 : 120;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const GRACE = 15_000;
/** The wall clock is checked this often. */
const CHECK = 61_000;

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'UTC',
];
/** Quiet days, and the nights on which clocks change. */
const DAYS = [
  '2026-01-15',
  '2026-03-08',
  '2026-03-29',
  '2026-06-30',
  '2026-10-25',
  '2026-11-01',
  '2026-12-31',
];
const STEPS = [0, 0, 0, HOUR, -HOUR, 48 * HOUR, -48 * HOUR, 90_000];

const in12 = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit' }).format(at);
const on = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    month: 'short',
    day: 'numeric',
    year: 'numeric',
  }).format(at);
const left = (at: number, now: number): string => {
  const minutes = Math.ceil((at - now) / MINUTE);
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
};

type Banner = (at: number, now: number, zone: string) => string;
const BANNERS: Record<string, Banner> = {
  claude: (at, _, zone) =>
    `● You've hit your session limit · resets ${in12(at, zone).toLowerCase().replace(' ', '')} (${zone})`,
  claude_old: (at) => `Claude AI usage limit reached|${at / 1000}`,
  codex_dated: (at) =>
    `■ You've hit your usage limit. Upgrade to Pro or try again at ${on(at, 'UTC')} ${in12(at, 'UTC')} (UTC).`,
  codex_left: (at, now) => `■ You've hit your usage limit. Try again in ${left(at, now)}.`,
  gemini: (at, now) => `✕ Quota exceeded. Your quota resets after ${left(at, now)}.`,
  weekly: (at, _, zone) =>
    `● You've hit your weekly limit · resets ${on(at, zone)} at ${in12(at, zone)} (${zone})`,
  stamp: (at) => `Usage limit reached. Try again after ${new Date(at).toISOString()}.`,
};

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-limit-matrix-'));
const random = drawnFor('limit-matrix');
const seen = { cases: 0, early: 0, late: 0, longest_late_s: 0 };
afterAll(() => {
  fs.rmSync(directory, { recursive: true, force: true });
  proofReport(
    `${seen.cases} usage limits of ${Object.keys(BANNERS).length} banners and 2 records, in ${ZONES.length} zones, with clock steps and restarts:`,
    `${seen.early} ended early, ${seen.late} late; at most ${seen.longest_late_s} s after the end and its grace with a true clock`,
  );
});

async function play(file: string): Promise<{ early: number; late: number; drawn: string }> {
  const banner = random.pick(Object.keys(BANNERS));
  const zone = random.pick(ZONES);
  const step = random.pick(STEPS);
  const fromRecord = random.below(4) === 0;
  const now =
    Date.parse(`${random.pick(DAYS)}T00:00:00Z`) + random.below(24 * 60) * MINUTE + random.below(MINUTE);
  const days = banner === 'weekly' || banner === 'codex_dated' || banner === 'stamp' ? random.below(6) : 0;
  const end = Math.ceil(now / MINUTE) * MINUTE + random.whole(1, 5 * 60 - 1) * MINUTE + days * 24 * HOUR;
  const clock = new FakeClock(new Date(now).toISOString());
  const words = BANNERS[banner]!(end, now, zone);
  const notice = limitIn(words);
  if (!notice) throw new Error(`no limit in: ${words}`);
  const limit: LimitSeen = { ...notice, source: 'screen', cut: true, untilMs: fromRecord ? end : null };
  const open = (): Parking =>
    new Parking({ file, clock, uptime: () => clock.monotonic(), changed: () => {} });
  const look = (parking: Parking): void =>
    parking.look({ seen: limit, turn: { ...NO_TURN, phase: 'ready' }, readable: true });
  let parking = open();
  look(parking);
  await clock.advance(0);
  const stepAt = random.below(end - now);
  const restartAt = random.below(end - now);
  let stepped = false;
  let restarted = false;
  while (parking.hold !== null) {
    const next = Math.min(parking.nextMs ?? CHECK, ...(stepped ? [] : [stepAt - clock.monotonic()]));
    await clock.advance(Math.max(1, next));
    if (!stepped && clock.monotonic() >= stepAt) {
      clock.jumpWall(step);
      stepped = true;
    }
    if (!restarted && clock.monotonic() >= restartAt) {
      parking = open();
      restarted = true;
    }
    look(parking);
    if (clock.monotonic() > end - now + 60 * HOUR)
      throw new Error(`never over: ${words} at ${new Date(now).toISOString()}`);
  }
  const late = clock.monotonic() - (end - now) - GRACE;
  // A time that is shown twice that night may mean the second. A minute that was stated counts until it is over.
  const allowed = Math.max(0, -step) + HOUR + MINUTE + CHECK;
  if (step === 0 && late < HOUR / 2)
    seen.longest_late_s = Math.max(seen.longest_late_s, Math.round(late / 1000));
  return {
    early: late < -1000 ? 1 : 0,
    late: late > allowed ? 1 : 0,
    drawn: `${words} seen ${new Date(now).toISOString()}, ends ${new Date(end).toISOString()}, step ${step / HOUR} h: ${late / 1000} s late`,
  };
}

describe('holds for usage limits', () => {
  it('a hold never ends before the limit, whatever its banner, zone and clock, and hardly after it', async () => {
    for (let n = 0; n < CASES; n++) {
      const file = path.join(directory, `${n}.json`);
      const { early, late, drawn } = await play(file);
      fs.rmSync(file, { force: true });
      expect({ early, late, drawn }).toEqual({ early: 0, late: 0, drawn });
      seen.cases++;
      seen.early += early;
      seen.late += late;
    }
  }, 900_000);
});
