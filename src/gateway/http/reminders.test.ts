import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Emitter, Ending, FakeClock } from '../../base/index.ts';
import type { BackendKind } from '../../domain/index.ts';
import { gatewayEvent } from '../../wire/index.ts';
import { type TestGateway, testGateway } from '../testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const SECOND = 1000;
const ONE_OFF = {
  mode: 'one_off',
  title: 'Check inbox',
  prompt: 'Review.',
  ranking: 0,
  start_after_seconds: 300,
};
const REPEAT = { ...ONE_OFF, mode: 'repeat', interval_seconds: 60 };
const { prompt: _prompt, ...WITHOUT_CONTENT } = ONE_OFF;
const KEYS = { ...WITHOUT_CONTENT, send_keys: { sequence: '<[Escape]>', ensure_enter: false } };
const { start_after_seconds: _start, ...WITHOUT_START } = ONE_OFF;
const CRON = { ...WITHOUT_START, mode: 'repeat', cron: '0 9 * * *' };

interface Started extends TestGateway {
  clock: FakeClock;
  create(...reminders: object[]): Promise<{ reminder_id: string }[]>;
  list(): Promise<{ effective_reminder_id: string | null; reminders: Record<string, unknown>[] }>;
}

async function start(backend: BackendKind = 'local_interactive'): Promise<Started> {
  const clock = new FakeClock();
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-reminders-'));
  ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
  const session = {
    attachIdentity: 'test-session',
    backend,
    tool: 'scripted',
    tmuxSessionName: 'HOUMAO-test-1',
    manifest: {} as never,
    sessionRoot: root,
  };
  const on = await testGateway(ending, { root, config: { clock, session } });
  return {
    ...on,
    clock,
    create: async (...reminders) => (await on.call('POST', '/v1/reminders', { reminders })).body.reminders,
    list: async () => (await on.call('GET', '/v1/reminders')).body,
  };
}

const said = (body: { detail: unknown }): string => JSON.stringify(body.detail);
const lines = ({ root }: TestGateway, file: string): string[] =>
  fs
    .readFileSync(path.join(root, 'gateway', ...file.split('/')), 'utf8')
    .trim()
    .split('\n');
const events = (on: TestGateway): string[] => lines(on, 'events.jsonl').map((line) => JSON.parse(line).kind);

/** Holds a delivery until it is released. */
function hold({ surface }: TestGateway): () => void {
  let letGo: () => void = () => {};
  surface.hold = new Promise((resolve) => {
    letGo = resolve;
  });
  return () => {
    surface.hold = undefined;
    letGo();
  };
}

const BAD: [string, object, RegExp][] = [
  ['no mode', { ...ONE_OFF, mode: undefined }, /mode/],
  ['an unknown mode', { ...ONE_OFF, mode: 'daily' }, /one_off.*repeat/],
  ['no title', { ...ONE_OFF, title: undefined }, /title/],
  ['a blank title', { ...ONE_OFF, title: ' ' }, /must not be empty/],
  ['no ranking', { ...ONE_OFF, ranking: undefined }, /ranking/],
  ['a ranking that is text', { ...ONE_OFF, ranking: '1' }, /ranking/],
  ['a ranking that is not whole', { ...ONE_OFF, ranking: 0.5 }, /must be an integer/],
  ['a ranking JSON cannot keep', { ...ONE_OFF, ranking: 2 ** 53 }, /between -9007199254740991 and/],
  ['a ranking far below', { ...ONE_OFF, ranking: -1e300 }, /between -9007199254740991 and/],
  ['neither prompt nor keys', WITHOUT_CONTENT, /exactly one of prompt or send_keys/],
  ['both prompt and keys', { ...KEYS, prompt: 'x' }, /exactly one of prompt or send_keys/],
  ['a blank prompt', { ...ONE_OFF, prompt: '\n' }, /must not be empty/],
  ['blank keys', { ...KEYS, send_keys: { sequence: ' ' } }, /must not be empty/],
  ['keys that do not exist', { ...KEYS, send_keys: { sequence: 'x<[escape]>' } }, /unknown key token/],
  [
    'escape_special_keys',
    { ...KEYS, send_keys: { sequence: 'x', escape_special_keys: true } },
    /known fields/,
  ],
  ['no time', WITHOUT_START, /exactly one of start_after_seconds or deliver_at_utc/],
  ['two times', { ...ONE_OFF, deliver_at_utc: '2030-01-01T00:00:00Z' }, /exactly one of start_after_seconds/],
  ['a delay of zero', { ...ONE_OFF, start_after_seconds: 0 }, /start_after_seconds/],
  ['a negative delay', { ...ONE_OFF, start_after_seconds: -1 }, /start_after_seconds/],
  ['a delay that is text', { ...ONE_OFF, start_after_seconds: '60' }, /start_after_seconds/],
  ['a time that is none', { ...WITHOUT_START, deliver_at_utc: 'tomorrow' }, /ISO-8601/],
  ['a repeat without interval', { ...ONE_OFF, mode: 'repeat' }, /repeat reminders require interval_seconds/],
  ['an interval of zero', { ...REPEAT, interval_seconds: 0 }, /interval_seconds/],
  ['a one-off with interval', { ...ONE_OFF, interval_seconds: 5 }, /one_off reminders must not include/],
  ['a paused that is a number', { ...ONE_OFF, paused: 1 }, /paused/],
  ['an unknown field', { ...ONE_OFF, priority: 1 }, /priority|known fields/],
  ['a cron that is none', { ...CRON, cron: 'whenever' }, /cron expression/],
  ['cron and interval', { ...CRON, interval_seconds: 5 }, /at most one of interval_seconds or cron/],
  ['cron and a start', { ...CRON, start_after_seconds: 5 }, /decides when to start/],
  ['cron for a one-off', { ...CRON, mode: 'one_off' }, /one_off reminders must not include cron/],
  ['a zone without cron', { ...ONE_OFF, time_zone: 'UTC' }, /is only allowed with cron/],
  ['a zone that is none', { ...CRON, time_zone: 'Mars/Base' }, /IANA/],
  ['durable without missed', { ...ONE_OFF, durable: true }, /durable reminders need missed/],
  ['missed without durable', { ...ONE_OFF, missed: 'once' }, /is only allowed with durable/],
];

describe('a definition with', () => {
  it.each(BAD)(
    'a reminder definition with %s is refused with 422, at create and at update, and changes nothing',
    async (_what, bad, message) => {
      const on = await start();
      const [{ reminder_id }] = (await on.create(ONE_OFF)) as [{ reminder_id: string }];
      const before = await on.list();
      const created = await on.call('POST', '/v1/reminders', { reminders: [ONE_OFF, bad] });
      expect([created.status, said(created.body)]).toEqual([422, expect.stringMatching(message)]);
      const put = await on.call('PUT', `/v1/reminders/${reminder_id}`, bad);
      expect([put.status, said(put.body)]).toEqual([422, expect.stringMatching(message)]);
      expect(await on.list()).toEqual(before);
    },
  );

  it.each([
    ['no reminders', { reminders: [] }],
    ['no list', {}],
    ['a wrong schema version', { schema_version: 2, reminders: [ONE_OFF] }],
  ])('a batch with %s is refused with 422', async (_what, body) => {
    const on = await start();
    expect((await on.call('POST', '/v1/reminders', body)).status).toBe(422);
    expect((await on.list()).reminders).toEqual([]);
  });

  it.each([
    ['the longest delay a number holds', { ...ONE_OFF, start_after_seconds: Number.MAX_VALUE }],
    [
      'the shortest',
      { ...REPEAT, start_after_seconds: 1e-9, interval_seconds: Number.MIN_VALUE, paused: true },
    ],
    ['the outermost ranking', { ...ONE_OFF, ranking: Number.MIN_SAFE_INTEGER }],
    ['a past time', { ...WITHOUT_START, deliver_at_utc: '1999-01-01', paused: true }],
    ['a naive time, which is UTC', { ...WITHOUT_START, deliver_at_utc: '2030-01-01T12:00:00' }],
    [
      'nulls for what is absent',
      { ...ONE_OFF, send_keys: null, deliver_at_utc: null, interval_seconds: null },
    ],
  ])('%s is taken', async (_what, definition) => {
    const on = await start();
    const { status, body } = await on.call('POST', '/v1/reminders', { reminders: [definition] });
    expect(status).toBe(200);
    expect(Number.isNaN(Date.parse(body.reminders[0].next_due_at_utc))).toBe(false);
  });
});

describe('a target that cannot keep tmux key semantics', () => {
  it.each<BackendKind>(['houmao_server_rest', 'claude_headless'])(
    'a %s agent refuses send-keys reminders with 422, at create and at update, the whole batch',
    async (backend) => {
      const on = await start(backend);
      const batch = await on.call('POST', '/v1/reminders', { reminders: [ONE_OFF, KEYS] });
      expect([batch.status, batch.body.error.facts.error_code]).toEqual([422, 'unsupported_target']);
      expect((await on.list()).reminders).toEqual([]);
      const [made] = await on.create(ONE_OFF);
      expect((await on.call('PUT', `/v1/reminders/${made!.reminder_id}`, KEYS)).status).toBe(422);
    },
  );
});

describe('an unknown reminder', () => {
  it.each(['GET', 'PUT', 'DELETE'])('an unknown reminder is 404 for %s', async (method) => {
    const on = await start();
    const body = method === 'PUT' ? ONE_OFF : undefined;
    const answer = await on.call(method, '/v1/reminders/greminder-unknown', body);
    expect([answer.status, said(answer.body)]).toEqual([404, expect.stringMatching(/greminder-unknown/)]);
  });

  it('a wrong body of an unknown reminder is 422, not 404', async () => {
    const on = await start();
    expect((await on.call('PUT', '/v1/reminders/greminder-unknown', {})).status).toBe(422);
  });
});

describe('the live set', () => {
  it('a created batch is returned in its own order, and listed in ranking order with the effective id', async () => {
    const on = await start();
    const made = await on.create(
      { ...ONE_OFF, ranking: 5 },
      { ...ONE_OFF, ranking: -10 },
      { ...ONE_OFF, ranking: 5 },
    );
    const ids = made.map((each) => each.reminder_id);
    expect(new Set(ids).size).toBe(3);
    const { effective_reminder_id, reminders } = await on.list();
    expect(effective_reminder_id).toBe(ids[1]);
    expect(reminders.map((each) => each['reminder_id'])).toEqual([ids[1], ids[0], ids[2]]);
    expect(reminders.map((each) => each['blocked_by_reminder_id'])).toEqual([null, ids[1], ids[1]]);
  });

  it('the reminders have a new leader at once when rankings change or the leader is removed', async () => {
    const on = await start();
    const [a, b] = await on.create({ ...ONE_OFF, ranking: 0 }, { ...ONE_OFF, ranking: 1 });
    await on.call('PUT', `/v1/reminders/${b!.reminder_id}`, { ...ONE_OFF, ranking: -1 });
    expect((await on.list()).effective_reminder_id).toBe(b!.reminder_id);
    expect((await on.call('DELETE', `/v1/reminders/${b!.reminder_id}`)).body).toMatchObject({
      status: 'ok',
      action: 'delete_reminder',
      deleted: true,
    });
    expect((await on.list()).effective_reminder_id).toBe(a!.reminder_id);
  });

  it('live reminders are lost at a restart and reported as lost; durable ones come back', async () => {
    const on = await start();
    await on.create(ONE_OFF, { ...ONE_OFF, title: 'kept', durable: true, missed: 'once' });
    const after = await on.restart();
    expect(events(on)).toContain('reminder_lost_on_restart');
    expect((await after.call('GET', '/v1/reminders')).body.reminders).toMatchObject([{ title: 'kept' }]);
  });

  it('live reminders are handed over to the next gateway on request, with their timing, and end with it', async () => {
    const on = await start();
    const [live] = await on.create(ONE_OFF);
    const due = new Date(on.clock.now().getTime() + 300 * SECOND).toISOString();
    await on.clock.advance(100 * SECOND);
    const after = await on.restart(undefined, { handOver: true });
    const { reminders } = (await after.call('GET', '/v1/reminders')).body;
    expect(reminders).toMatchObject([
      { reminder_id: live!.reminder_id, next_due_at_utc: due, durable: false },
    ]);
    expect(events(on)).not.toContain('reminder_lost_on_restart');
    await on.clock.advance(200 * SECOND);
    await expect.poll(async () => (await after.call('GET', '/v1/reminders')).body.reminders).toEqual([]);
    expect(after.surface.submitted).toHaveLength(1);
    await after.call('POST', '/v1/reminders', { reminders: [ONE_OFF] });
    const last = await after.restart();
    expect(events(on).filter((kind) => kind === 'reminder_lost_on_restart')).toHaveLength(1);
    expect((await last.call('GET', '/v1/reminders')).body.reminders).toEqual([]);
  });

  it('handed-over reminders survive a gateway whose start fails', async () => {
    const on = await start();
    await on.create(ONE_OFF);
    await on.gateway.stop('restart', { handOver: true });
    const failing = testGateway(ending, {
      root: on.root,
      config: { clock: on.clock },
      prepare: (surface) => {
        const settle = () => Promise.reject(new Error('no start'));
        Object.assign(surface, { leftovers: { settle, settled: new Emitter<void>() } });
      },
    });
    await expect(failing).rejects.toThrow('no start');
    const next = await testGateway(ending, { root: on.root, config: { clock: on.clock } });
    expect((await next.call('GET', '/v1/reminders')).body.reminders).toHaveLength(1);
    expect(events(on)).not.toContain('reminder_lost_on_restart');
  });

  it('a repeating reminder shows its next five due times', async () => {
    const on = await start();
    const [made] = await on.create(REPEAT);
    const { next_due_preview_utc: times } = (await on.call('GET', `/v1/reminders/${made!.reminder_id}`)).body;
    expect(times).toEqual(
      [300, 360, 420, 480, 540].map((s) => new Date(on.clock.now().getTime() + s * SECOND).toISOString()),
    );
  });
});

describe('a due leader', () => {
  it('a due leader is delivered once, and a one-off leaves the set', async () => {
    const on = await start();
    await on.create({ ...ONE_OFF, prompt: 'Now.' });
    await on.clock.advance(300 * SECOND);
    await expect.poll(() => on.surface.submitted).toEqual(['Now.']);
    await expect.poll(async () => (await on.list()).reminders).toEqual([]);
    expect(events(on)).toEqual(
      expect.arrayContaining(['reminder_registered', 'reminder_started', 'reminder_completed']),
    );
  });

  it.each([
    ['keys get exactly one Enter', { sequence: 'go<[Enter]><[Enter]>' }, 'go<[Enter]>'],
    ['keys without Enter get one', { sequence: 'go' }, 'go<[Enter]>'],
    ['pure control keys stay as they are', { sequence: '<[Escape]>', ensure_enter: false }, '<[Escape]>'],
  ])('%s', async (_what, send_keys, typed) => {
    const on = await start();
    await on.create({ ...WITHOUT_CONTENT, send_keys });
    await on.clock.advance(300 * SECOND);
    await expect.poll(() => on.surface.keys).toEqual([typed]);
  });

  it('a due leader stays overdue while the agent may not be disturbed or work is queued, and reports it once', async () => {
    const on = await start();
    on.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    const [made] = await on.create(ONE_OFF);
    await on.clock.advance(3600 * SECOND);
    expect(await on.list()).toMatchObject({ reminders: [{ delivery_state: 'overdue' }] });
    expect(events(on).filter((kind) => kind === 'reminder_deferred')).toHaveLength(1);
    expect(on.surface.submitted).toEqual([]);
    on.surface.show({ ready: true, reasons: [] });
    await expect.poll(() => on.surface.submitted).toHaveLength(1);
    expect(made).toBeDefined();
  });

  it('a paused leader blocks those behind it until it is resumed', async () => {
    const on = await start();
    const [lead] = await on.create(
      { ...ONE_OFF, ranking: -1, paused: true, prompt: 'lead' },
      { ...ONE_OFF, prompt: 'next' },
    );
    await on.clock.advance(3600 * SECOND);
    expect(on.surface.submitted).toEqual([]);
    expect((await on.list()).reminders.map((each) => each['delivery_state'])).toEqual(['overdue', 'overdue']);
    await on.call('PUT', `/v1/reminders/${lead!.reminder_id}`, {
      ...ONE_OFF,
      prompt: 'lead',
      start_after_seconds: 1,
      ranking: -1,
    });
    await on.clock.advance(SECOND);
    await expect.poll(() => on.surface.submitted).toEqual(['lead', 'next']);
  });

  it('a reminder being delivered cannot be changed (409); deleted, its delivery ends and nothing follows', async () => {
    const on = await start();
    const letGo = hold(on);
    const [made] = await on.create(REPEAT);
    const url = `/v1/reminders/${made!.reminder_id}`;
    await on.clock.advance(300 * SECOND);
    await expect.poll(async () => (await on.list()).reminders[0]?.['delivery_state']).toBe('executing');
    const put = await on.call('PUT', url, REPEAT);
    expect([put.status, put.body.error.facts.error_code]).toEqual([409, 'reminder_executing']);
    expect((await on.call('GET', '/v1/status')).body.active_execution).toBe('running');
    const first = await on.call('DELETE', url);
    expect([first.status, first.body.detail]).toEqual([
      200,
      expect.stringMatching(/running delivery is completed/),
    ]);
    expect((await on.call('DELETE', url)).status).toBe(200);
    expect((await on.list()).reminders).toHaveLength(1);
    letGo();
    await expect.poll(async () => (await on.list()).reminders).toEqual([]);
    await on.clock.advance(600 * SECOND);
    expect(on.surface.submitted).toHaveLength(1);
  });

  it('a reminder overtaken during its delivery shows blocked and executing', async () => {
    const on = await start();
    const letGo = hold(on);
    await on.create(ONE_OFF);
    await on.clock.advance(300 * SECOND);
    await expect.poll(async () => (await on.list()).reminders[0]?.['delivery_state']).toBe('executing');
    await on.create({ ...ONE_OFF, ranking: -5 });
    expect((await on.list()).reminders[1]).toMatchObject({
      selection_state: 'blocked',
      delivery_state: 'executing',
    });
    letGo();
  });

  it('a repeating reminder keeps its anchored cadence and does not burst after a busy time', async () => {
    const on = await start();
    const begun = on.clock.now().getTime();
    const [made] = await on.create(REPEAT);
    on.surface.show({ ready: false, reasons: ['busy'] });
    await on.clock.advance(1010 * SECOND);
    on.surface.show({ ready: true, reasons: [] });
    await expect.poll(() => on.surface.submitted).toHaveLength(1);
    const { next_due_at_utc } = (await on.call('GET', `/v1/reminders/${made!.reminder_id}`)).body;
    expect(Date.parse(next_due_at_utc) - begun).toBe(1020 * SECOND);
  });

  it('a reminder whose delivery fails is shown with its evidence, never silently dropped', async () => {
    const on = await start();
    on.surface.outcomes.push('unconfirmed');
    const [made] = await on.create(ONE_OFF);
    await on.clock.advance(300 * SECOND);
    await expect
      .poll(async () => (await on.call('GET', '/v1/reminders')).body.recent_deliveries)
      .toMatchObject([{ reminder_id: made!.reminder_id, outcome: 'unconfirmed' }]);
    expect(events(on)).toContain('reminder_failed');
  });

  it('a reminder is neither early nor late when the wall clock is corrected, and a named time follows the correction', async () => {
    const on = await start();
    await on.create({ ...ONE_OFF, prompt: 'delay' });
    on.clock.jumpWall(7200 * SECOND);
    await on.clock.advance(299 * SECOND);
    expect(on.surface.submitted).toEqual([]);
    await on.clock.advance(SECOND);
    await expect.poll(() => on.surface.submitted).toEqual(['delay']);
    const at = new Date(on.clock.now().getTime() + 7200 * SECOND).toISOString();
    await on.create({ ...WITHOUT_START, prompt: 'named', deliver_at_utc: at });
    on.clock.jumpWall(7200 * SECOND);
    await on.clock.advance(60 * SECOND);
    await expect.poll(() => on.surface.submitted).toEqual(['delay', 'named']);
  });

  describe('of a cron expression, when the clock is set', () => {
    const every5 = { ...CRON, cron: '*/5 * * * * *' };

    it.each([-1, -48])(
      'a cron reminder continues within a minute when the clock is set by %i hours, once per slot',
      async (hours) => {
        const on = await start();
        await on.create(every5);
        await on.clock.advance(5 * SECOND);
        await expect.poll(() => on.surface.submitted).toHaveLength(1);
        on.clock.jumpWall(hours * 3600 * SECOND);
        await on.clock.advance(60 * SECOND);
        await expect.poll(() => on.surface.submitted.length).toBeGreaterThan(1);
        const before = on.surface.submitted.length;
        await on.clock.advance(50 * SECOND);
        await expect.poll(() => on.surface.submitted).toHaveLength(before + 10);
      },
    );

    it.each([1, 48])(
      'a cron reminder is delivered once for all skipped slots when the clock is set %i hours ahead',
      async (hours) => {
        const on = await start();
        await on.create(CRON);
        await on.clock.advance(SECOND);
        on.clock.jumpWall((10 + hours) * 3600 * SECOND);
        await on.clock.advance(60 * SECOND);
        await expect.poll(() => on.surface.submitted).toHaveLength(1);
        await on.clock.advance(3600 * SECOND);
        expect(on.surface.submitted).toHaveLength(1);
      },
    );

    it('a cron slot is not delivered twice when the clock is set half a minute back just after it', async () => {
      const on = await start();
      await on.create({ ...CRON, cron: '0 * * * *' });
      await on.clock.advance(3600 * SECOND);
      await expect.poll(() => on.surface.submitted).toHaveLength(1);
      on.clock.jumpWall(-30 * SECOND);
      await on.clock.advance(120 * SECOND);
      expect(on.surface.submitted).toHaveLength(1);
    });

    it('a blocked cron reminder shows its corrected slot too', async () => {
      const on = await start();
      await on.create({ ...ONE_OFF, ranking: -1, paused: true }, every5);
      on.clock.jumpWall(-3600 * SECOND);
      expect((await on.list()).reminders[1]).toMatchObject({ next_due_at_utc: '2025-12-31T23:00:05.000Z' });
    });
  });

  it.each([
    ['an interval', { ...REPEAT, start_after_seconds: 1 }],
    ['a cron slot', { ...CRON, cron: '* * * * *' }],
  ])(
    'a reminder of %s restored after a restart is not stalled by a clock that was set back',
    async (_what, more) => {
      const on = await start();
      await on.create({ ...more, durable: true, missed: 'skip' });
      await on.clock.advance(60 * SECOND);
      await expect.poll(() => on.surface.submitted).toHaveLength(1);
      await on.gateway.stop('down');
      on.clock.jumpWall(-48 * 3600 * SECOND);
      const next = await testGateway(ending, { root: on.root, config: { clock: on.clock } });
      await on.clock.advance(60 * SECOND);
      await expect.poll(() => next.surface.submitted).toHaveLength(1);
      on.clock.jumpWall(-48 * 3600 * SECOND);
      await on.clock.advance(120 * SECOND);
      await expect.poll(() => next.surface.submitted.length).toBeGreaterThanOrEqual(2);
    },
  );

  it('a cron reminder is delivered once per slot, in its time zone', async () => {
    const on = await start();
    await on.create({ ...CRON, time_zone: 'Europe/Zurich' });
    expect((await on.list()).reminders[0]).toMatchObject({ next_due_at_utc: '2026-01-01T08:00:00.000Z' });
    await on.clock.advance(8 * 3600 * SECOND);
    await expect.poll(() => on.surface.submitted).toHaveLength(1);
    await expect
      .poll(async () => (await on.list()).reminders[0]?.['next_due_at_utc'])
      .toBe('2026-01-02T08:00:00.000Z');
  });
});

describe('one that is due and not delivered', () => {
  const waits = async (on: Started) =>
    (await on.list()).reminders.map(({ waiting_reason, waiting_since_utc }) => [
      waiting_reason,
      waiting_since_utc,
    ]);
  const stamp = (on: Started): string => on.clock.now().toISOString();

  it('a due reminder says what it waits for and since when, in the list and alone, and the event has its time', async () => {
    const on = await start();
    const [made] = await on.create(ONE_OFF);
    expect(await waits(on)).toEqual([[null, null]]);
    on.surface.show({ ready: false, reasons: ["phase='active'"] });
    await on.clock.advance(300 * SECOND);
    const busy = stamp(on);
    await on.clock.advance(SECOND);
    expect(await waits(on)).toEqual([["phase='active'", busy]]);
    on.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    await expect.poll(() => waits(on)).toEqual([["dialog='permission'", stamp(on)]]);
    expect((await on.call('GET', `/v1/reminders/${made!.reminder_id}`)).body).toMatchObject({
      waiting_reason: "dialog='permission'",
      waiting_since_utc: stamp(on),
    });
    expect(lines(on, 'events.jsonl').filter((line) => line.includes('reminder_deferred'))).toEqual([
      expect.stringContaining(`"at_utc":"${busy}"`),
      expect.stringContaining(`"at_utc":"${stamp(on)}"`),
    ]);
  });

  it('a due reminder says that it is paused, or which one it is behind', async () => {
    const on = await start();
    const due = new Date(on.clock.now().getTime() + 300 * SECOND).toISOString();
    const [lead] = await on.create({ ...ONE_OFF, paused: true }, ONE_OFF);
    await on.clock.advance(400 * SECOND);
    expect(await waits(on)).toEqual([
      ['paused', due],
      [`behind ${lead!.reminder_id}, which is paused`, due],
    ]);
  });

  it('a due reminder shows its next five times, whatever fraction of a millisecond it is due at', async () => {
    const on = await start();
    on.surface.show({ ready: false, reasons: ['busy'] });
    for (let tried = 0; tried < 20; tried++) {
      const [made] = await on.create({ ...REPEAT, start_after_seconds: 0.0101, interval_seconds: 2.5 });
      await on.clock.advance(7003.7 + tried / 7);
      const { next_due_preview_utc: times } = (await on.call('GET', `/v1/reminders/${made!.reminder_id}`))
        .body;
      const ms = times.map((at: string) => Date.parse(at) - on.clock.now().getTime());
      expect(ms).toHaveLength(5);
      expect(ms.slice(1).every((at: number) => at > 0)).toBe(true);
      expect([ms[2] - ms[1], ms[3] - ms[2], ms[4] - ms[3]]).toEqual([2500, 2500, 2500]);
    }
  });
});

describe('what happens to a reminder', () => {
  it('what happens to a reminder is in gateway.log, one line each, and in events.jsonl with its time', async () => {
    const on = await start();
    const [made, gone] = await on.create(ONE_OFF, { ...ONE_OFF, ranking: 9 });
    await on.call('PUT', `/v1/reminders/${made!.reminder_id}`, { ...ONE_OFF, title: 'two\nlines' });
    await on.call('DELETE', `/v1/reminders/${gone!.reminder_id}`);
    await on.clock.advance(300 * SECOND);
    await expect.poll(async () => (await on.list()).reminders).toEqual([]);
    on.surface.outcomes.push('unconfirmed');
    await on.create(ONE_OFF);
    await on.clock.advance(300 * SECOND);
    await expect.poll(async () => (await on.list()).reminders).toEqual([]);
    await on.create(ONE_OFF);
    await on.gateway.stop('test');
    const stems = lines(on, 'logs/gateway.log').flatMap((line) => / (\w+ reminder) /.exec(line)?.[1] ?? []);
    expect(stems).toEqual(
      [
        ...['registered', 'registered', 'updated', 'deleted', 'executing', 'completed'],
        ...['registered', 'executing', 'failed', 'registered', 'lost'],
      ].map((verb) => `${verb} reminder`),
    );
    const written = lines(on, 'events.jsonl').map((line) => JSON.parse(line));
    expect(written.every((event) => gatewayEvent.safeParse(event).success && event.at_utc)).toBe(true);
  });

  it('live reminders of a killed gateway are reported as lost at the next start, once', async () => {
    const on = await start();
    const [lost] = await on.create(
      { ...ONE_OFF, title: 'lost' },
      { ...ONE_OFF, title: 'kept', durable: true, missed: 'once' },
    );
    // As kill -9 leaves it: a copy of the files of a gateway that still runs.
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-killed-'));
    ending.add(() => fs.rmSync(root, { recursive: true, force: true }));
    fs.cpSync(path.join(on.root, 'gateway'), path.join(root, 'gateway'), { recursive: true });
    const next = await testGateway(ending, { root, config: { clock: on.clock } });
    const lostEvents = () =>
      lines(next, 'events.jsonl').filter((line) => line.includes('reminder_lost_on_restart'));
    await expect
      .poll(() => lostEvents().map((line) => JSON.parse(line)))
      .toMatchObject([{ reminder_id: lost!.reminder_id, title: 'lost', ranking: 0 }]);
    expect((await next.call('GET', '/v1/reminders')).body.reminders).toMatchObject([{ title: 'kept' }]);
    await next.restart();
    expect(lostEvents()).toHaveLength(1);
  });
});

describe('an idle set', () => {
  it('an idle set of reminders writes nothing and has one timer, however many wait behind the leader', async () => {
    const on = await start();
    await on.create(
      ...Array.from({ length: 200 }, (_, i) => ({ ...ONE_OFF, ranking: i, start_after_seconds: 1e6 })),
    );
    // What mirrors the last change is written a moment after it.
    await on.clock.advance(SECOND);
    const before = events(on).length;
    const timers = on.clock.pending;
    await on.clock.advance(86_400 * SECOND);
    expect([events(on).length, on.clock.pending]).toEqual([before, timers]);
  });
});
