import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock, writeFileAtomic } from '../../src/base/index.ts';
import { Outbox, type SeenNeed, SUBSCRIPTION_DEFAULTS } from '../../src/notices/index.ts';
import { bundle } from '../support/bundle.ts';
import { proofReport } from '../support/proof-report.ts';
import { drawnFor, FULL } from '../support/sample.ts';
import { ROOT } from '../support/test-world.ts';
import { type Behaviour, Receiver } from './support/receiver.ts';

/**
 * Needs open, change and end while the sender is killed at its worst instants and receivers fail, hang and redirect. A
 * receiver that counts by id must have each need once, and no opening of a need that was over before it was stored.
 */
const NEEDS = FULL ? 2000 : 30;
const AT_ONCE = FULL ? 20 : 5;

const random = drawnFor(import.meta.filename);
const chance = (of: number): boolean => random.whole(1, of) === 1;
const pick = <T>(all: readonly T[]): T => all[random.whole(0, all.length - 1)]!;

let directory: string;
let program: string;
let needsFile: string;
let outbox: Outbox;
const receivers: Receiver[] = [];
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'notices-'));
  program = path.join(ROOT, 'node_modules', `.doomed-sender-${process.pid}.mjs`);
  await bundle(path.join(import.meta.dirname, 'support/doomed-sender.ts'), program, { packages: 'external' });
  fs.mkdirSync(path.join(directory, 'needs'));
  needsFile = path.join(directory, 'needs', 'now.json');
  outbox = new Outbox({ directory: path.join(directory, 'notices'), clock: systemClock });
  for (let n = 0; n < 2; n++) {
    const receiver = await Receiver.start();
    receiver.secret = secret;
    receivers.push(receiver);
    const settings = { ...SUBSCRIPTION_DEFAULTS, after_seconds: 0 };
    outbox.add('webhook', { url: receiver.url, format: 'standard', secret }, settings);
  }
  outbox.add('status-line', {}, { ...SUBSCRIPTION_DEFAULTS, after_seconds: 0 });
});
afterAll(async () => {
  await end();
  outbox.close();
  for (const each of receivers) await each.stop();
  fs.rmSync(program, { force: true });
  fs.rmSync(directory, { recursive: true, force: true });
});

let child: ChildProcess | undefined;
let kills = 0;

/** Starts the sender, to be killed at an instant, or to run. It is started again whenever it was killed. */
async function begin(crashAt?: string): Promise<void> {
  child = spawn(process.execPath, [program, path.join(directory, 'notices'), needsFile], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(crashAt && { ROUSE_CRASH_AT: crashAt }) },
  });
  await new Promise<void>((resolve) => {
    child!.stdout!.once('data', () => resolve());
    child!.once('exit', () => resolve());
  });
}

async function end(): Promise<void> {
  const running = child;
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill('SIGKILL');
  await ended;
}

const isGone = (): boolean => child === undefined || child.exitCode !== null || child.signalCode !== null;

async function restart(): Promise<void> {
  await end();
  kills++;
  await begin(chance(2) ? `${pick(['notices.tried', 'notices.sent'])}@${random.whole(1, 5)}` : undefined);
}

const open = new Map<string, SeenNeed>();
const show = (): void => writeFileAtomic(needsFile, JSON.stringify([...open.values()]), { durable: false });

const until = async (look: () => boolean): Promise<void> => {
  while (!look()) {
    if (isGone()) await begin();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

const stored = (): number => outbox.db.get<{ n: number }>('SELECT count(*) AS n FROM needs')!.n;
const lasting = (): number =>
  outbox.db.get<{ n: number }>('SELECT count(*) AS n FROM needs WHERE over_at_ms IS NULL')!.n;
const unfinished = (): number =>
  outbox.db.get<{ n: number }>(
    "SELECT count(*) AS n FROM notices WHERE state IN ('ending') OR (state IN ('waiting','sent') AND trying = 1)",
  )!.n;

const TROUBLES: readonly Behaviour[] = [
  'ok',
  'ok',
  'ok',
  'ok',
  'ok',
  'ok',
  'half',
  'error',
  'redirect',
  'gone',
];

it('needs that open, change and end while the sender is killed and channels fail are reported once each, never after their end, and none is lost', async () => {
  show();
  receivers[0]!.behave = () => (chance(60) ? 'hang' : pick(TROUBLES));
  await begin();
  for (let n = 0; n < NEEDS; n++) {
    const key = `dialog:${n}`;
    open.set(key, {
      ...{ key, kind: 'dialog', agent: `agent-${n}`, person: null, words: 'asks', command: null, href: null },
      ...{ since_utc: null, writer: null, past: false },
    });
    if (chance(3)) for (const need of open.values()) need.words = `asks ${n}`;
    show();
    const fate = random.whole(1, 12);
    if (fate === 1) await restart();
    else if (fate === 2) await end();
    await until(() => stored() === n + 1);
    if (open.size >= AT_ONCE) {
      for (const each of [...open.keys()].slice(0, random.whole(1, AT_ONCE))) open.delete(each);
      show();
      await until(() => lasting() === open.size);
    }
  }
  // Peace: every receiver works, and pauses after failures are over at once.
  for (const each of receivers) each.behave = () => 'ok';
  const hurry = (): void =>
    void outbox.db.run('UPDATE notices SET next_try_at_ms = NULL WHERE next_try_at_ms IS NOT NULL');
  await end();
  hurry();
  await begin();
  await until(() => receivers.every((each) => open.size === each.showing.length) && unfinished() === 0);
  open.clear();
  show();
  await until(
    () => lasting() === 0 && unfinished() === 0 && receivers.every((each) => each.showing.length === 0),
  );
  judge();
});

function judge(): void {
  const rows = outbox.db.all<{ uid: string; subscription_id: number; state: string; key: string }>(
    'SELECT uid, subscription_id, state, key FROM notices JOIN needs ON needs.id = need_id',
  );
  expect(rows.length).toBe(NEEDS * 3);
  expect(new Set(rows.map(({ state }) => state))).toEqual(
    new Set(rows.some((r) => r.state === 'unneeded') ? ['over', 'unneeded'] : ['over']),
  );
  for (const [n, receiver] of receivers.entries()) {
    const ids = receiver.opened.map(({ data }) => data.notice_id);
    expect(new Set(ids).size).toBe(ids.length);
    const own = rows.filter((row) => row.subscription_id === n + 1).map(({ uid }) => uid);
    // None lost: what the outbox has as sent arrived.
    for (const uid of own.filter(wasSent)) expect(ids).toContain(uid);
    const states = new Map(rows.map(({ uid, state }) => [uid, state]));
    for (const uid of own) if (states.get(uid) === 'unneeded') expect(wasSent(uid)).toBe(false);
    // None after its end.
    const order = receiver.accepted.map(({ type, data }) => `${type} ${data.notice_id}`);
    for (const uid of ids)
      expect(order.indexOf(`need.opened ${uid}`)).toBeLessThan(order.indexOf(`need.over ${uid}`));
    expect(receiver.forged).toBe(0);
    expect(receiver.followed).toBe(0);
    // After its end nothing opens: an opening is never the last word.
    expect(receiver.showing).toEqual([]);
  }
  expect(fs.readFileSync(path.join(directory, 'notices', 'status-line'), 'utf8')).toBe('\n');
  const opened = receivers.map((each) => each.opened.length);
  const requests = receivers.reduce((sum, each) => sum + each.requests, 0);
  proofReport(
    `${NEEDS} needs, 3 channels: ${opened.join(' and ')} notices arrived by webhook in ${requests} requests, ${kills} kills; each once, none lost, none after its end`,
  );
}

const wasSent = (uid: string): boolean =>
  outbox.db.get(
    "SELECT 1 FROM notice_steps s JOIN notices n ON n.id = s.notice_id WHERE n.uid = ? AND s.step = 'sent'",
    [uid],
  ) !== undefined;
