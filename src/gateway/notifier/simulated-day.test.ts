import { describe, expect, it } from 'vitest';
import { MemoryMail } from '../../../test/support/memory-mail/memory-mail.ts';
import { FakeClock, Loop, silentLog, sleep, unavailable } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import type { RepeatPolicy } from '../../domain/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { dispatchPass, ExecutionSlot, LanePause } from '../dispatch/index.ts';
import { MailAccess } from '../mail/index.ts';
import { SessionPause } from '../pause/index.ts';
import { Presence } from '../presence/index.ts';
import { InstanceStore, QUEUE_MIGRATIONS, RequestQueue } from '../queue/index.ts';
import { Turns } from '../turns/index.ts';
import {
  NOTIFIER_EPOCH_MIGRATIONS,
  NOTIFIER_MIGRATIONS,
  NOTIFIER_PARK_MIGRATIONS,
  NOTIFIER_TEXT_MIGRATIONS,
  NOTIFIER_THREAD_MIGRATIONS,
  Notifier,
} from './index.ts';

const HOUR = 3_600_000;

interface Day {
  wakes: number;
  neverAnnounced: number;
}

/** A day of a real notifier, queue and dispatch on the fake clock; the agent handles its mail or is stuck. */
async function day(
  repeat: RepeatPolicy,
  sends: number[],
  agent: 'diligent' | 'stuck',
  refuseSyncOf: (db: Sqlite) => boolean = () => false,
): Promise<Day> {
  const clock = new FakeClock();
  const db = openSqlite({
    file: ':memory:',
    migrations: [
      ...QUEUE_MIGRATIONS,
      ...NOTIFIER_MIGRATIONS,
      ...NOTIFIER_EPOCH_MIGRATIONS,
      ...NOTIFIER_THREAD_MIGRATIONS,
      ...NOTIFIER_TEXT_MIGRATIONS,
      ...NOTIFIER_PARK_MIGRATIONS,
    ],
  });
  const commitTogether = db.commitTogether.bind(db);
  db.commitTogether = async <T>(work: (db: Sqlite) => T): Promise<T> => {
    const done = await commitTogether(work);
    if (refuseSyncOf(db)) throw unavailable('the disk refused the sync');
    return done;
  };
  const queue = new RequestQueue(db, clock);
  const surface = new FakeSurface();
  const slot = new ExecutionSlot();
  const pause = new LanePause(clock);
  const instances = new InstanceStore(db);
  const identity = {
    attachIdentity: 'day',
    backend: 'local_interactive',
    tool: 'scripted',
    tmuxSessionName: 't',
    executionMode: 'detached_process' as const,
    host: '127.0.0.1',
    port: 1,
    window: null,
  };
  const hold = new SessionPause('/nowhere/pause.json', clock);
  const presence = new Presence({ surface, queue, slot, hold, instances, identity });
  const post = new MemoryMail(clock).register('a@x').register('b@x');
  const inbox = post.mailbox('a@x');
  const binding = {
    transport: 'flatfile',
    principal_id: 'a',
    address: 'a@x',
    mailbox_path: '/x',
    bindings_version: '1',
  } as const;
  const mail = new MailAccess(
    () => binding,
    async () => ({ mailbox: inbox, close: async () => {} }),
  );
  const notifier = new Notifier({
    db,
    queue,
    presence,
    surface,
    turns: new Turns(clock),
    hold,
    mail,
    clock,
    log: silentLog,
    prompt: () => ({ text: 'wake', problem: null }),
    wake: () => notify.wake(),
  });
  const notify: Loop = new Loop({ name: 'notifier', clock, pass: () => notifier.pass() });
  const dispatch: Loop = new Loop({
    name: 'dispatch',
    clock,
    pass: () =>
      dispatchPass({
        queue,
        surface,
        slot,
        pause,
        hold,
        instances,
        clock,
        admission: presence.admission,
        epoch: presence.epoch,
        recheck: () => notifier.recheck(),
      }),
  });
  queue.entries.on(notifier.onLedger);
  queue.entries.on(() => dispatch.wake());
  mail.changed.on(() => notifier.hint('mail'));
  surface.changed.on(({ ready }) => ready && notifier.hint('ready'));

  const announced = new Set<string>();
  /** The agent's turn: it sees what is open, works for a while, and archives it unless it is stuck. */
  const takeTurn = async (): Promise<void> => {
    const refs = (await inbox.list({ archived: false })).messages.map((message) => message.message_ref);
    for (const ref of refs) announced.add(ref);
    surface.show({ ready: false, reasons: ["phase='active'"], busy: true });
    await sleep(clock, 20_000);
    if (agent === 'diligent') await inbox.archive(refs);
    surface.show({ ready: true, reasons: [], busy: false });
  };
  queue.entries.on((entry) => {
    if (entry.stage === 'submitted') void takeTurn();
  });
  await notifier.settings.enable({ schema_version: 1, interval_seconds: 60, mode: 'any_inbox', repeat });
  notify.start();
  dispatch.start();
  const send = async (): Promise<void> => {
    await post.mailbox('b@x').send({ to: ['a@x'], subject: 's', body_content: 'b' });
  };
  for (const at of sends) clock.after(at, () => void send());
  await clock.advance(24 * HOUR);
  await Promise.all([notify.stop(), dispatch.stop()]);
  db.close();
  return { wakes: surface.submitted.length, neverAnnounced: sends.length - announced.size };
}

const BURSTS = [1, 5, 9, 13].flatMap((hour) => Array.from({ length: 20 }, (_, i) => hour * HOUR + i * 500));
const TRICKLE = Array.from({ length: 46 }, (_, i) => (i + 1) * 0.5 * HOUR);
const STUCK = [HOUR, 2 * HOUR, 8 * HOUR];

describe('a simulated day', () => {
  it.each([
    ['bursts', BURSTS, 'diligent', 0],
    ['a trickle', TRICKLE, 'diligent', 0],
    ['a stuck agent', STUCK, 'stuck', 20],
  ] as const)(
    'a day of %s: every policy announces every message, and backoff repeats far less',
    { timeout: 120_000 },
    async (_name, sends, agent, timesFewer) => {
      const wakes: Record<string, number> = {};
      for (const repeat of ['every_poll', 'on_change', 'backoff'] as const) {
        const result = await day(repeat, [...sends], agent);
        expect(result.neverAnnounced, repeat).toBe(0);
        wakes[repeat] = result.wakes;
      }
      expect(wakes['backoff']).toBeLessThanOrEqual(wakes['every_poll']!);
      expect(wakes['every_poll']! / wakes['backoff']!).toBeGreaterThanOrEqual(timesFewer);
    },
  );

  it('a wake that the disk wrote but did not sync is typed anyway, once', async () => {
    let refused = 0;
    const firstWake = (db: Sqlite): boolean =>
      refused === 0 && db.get('SELECT 1 FROM gateway_requests') !== undefined && ++refused === 1;
    expect(await day('on_change', [HOUR], 'diligent', firstWake)).toEqual({ wakes: 1, neverAnnounced: 0 });
    expect(refused).toBe(1);
  });
});
