import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../base/index.ts';
import { type DeliveryResult, FakeSurface, type PromptDelivery, type Recheck } from '../terminal/index.ts';
import { requestAccepted, requestView } from '../wire/index.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const prompt = (text: string, more: object = {}) => ({
  kind: 'submit_prompt',
  payload: { prompt: text },
  ...more,
});
const accept = async ({ call }: TestGateway, body: object): Promise<string> =>
  (await call('POST', '/v1/requests', body)).body.request_id;
const stagesOf = async ({ call }: TestGateway, id: string): Promise<string[]> =>
  (await call('GET', `/v1/requests/${id}`)).body.ledger.map(({ stage }: { stage: string }) => stage);
const finished = async ({ call }: TestGateway, id: string) =>
  (await call('GET', `/v1/requests/${id}?wait`)).body;

describe('a queued prompt', () => {
  it('a queued prompt is accepted durably, submitted once, and shows every stage with its evidence', async () => {
    const on = await testGateway(ending);
    const answer = await on.call('POST', '/v1/requests', prompt('hello'));
    expect(answer).toMatchObject({ status: 200, body: { state: 'accepted', request_kind: 'submit_prompt' } });
    const view = await finished(on, answer.body.request_id);
    expect(view).toMatchObject({ state: 'completed', outcome: 'submitted' });
    expect(view.ledger.map((entry: { stage: string }) => entry.stage)).toEqual([
      'accepted',
      'running',
      'typing',
      'typed',
      'submitted',
      'finished',
    ]);
    expect(on.surface.submitted).toEqual(['hello']);
  });

  it('state.json shows a prompt queued behind others a moment later', async () => {
    const clock = new FakeClock();
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ["dialog='permission'"] }),
      config: { clock },
    });
    for (const text of ['one', 'two', 'three']) await accept(on, prompt(text));
    const mirrored = async (): Promise<number> => {
      await clock.advance(100);
      return JSON.parse(fs.readFileSync(path.join(on.root, 'gateway', 'state.json'), 'utf8')).queue_depth;
    };
    await expect.poll(mirrored).toBe(3);
  });

  it('a queued prompt waits with its reason while the agent may not be disturbed, and is typed as soon as it may', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ["dialog='permission'"] }),
    });
    const id = await accept(on, prompt('later'));
    await expect
      .poll(async () => (await on.call('GET', `/v1/requests/${id}`)).body.waiting_reason)
      .toBe("dialog='permission'");
    expect((await on.call('GET', '/v1/status')).body).toMatchObject({
      queue_depth: 1,
      active_execution: 'idle',
    });
    on.surface.show({ ready: true, reasons: [] });
    expect(await finished(on, id)).toMatchObject({ outcome: 'submitted' });
  });

  it('a queued prompt names the one it waits behind, and what that one waits for', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ["phase='active'"] }),
    });
    const [first, second, third] = [
      await accept(on, prompt('one')),
      await accept(on, prompt('two')),
      await accept(on, prompt('three')),
    ];
    const { requests } = (await on.call('GET', '/v1/requests')).body;
    const reasons = requests.map((each: { request_id: string; waiting_reason: string }) => [
      each.request_id,
      each.waiting_reason,
    ]);
    expect(reasons).toEqual([
      [third, `behind ${first}`],
      [second, `behind ${first}`],
      [first, "phase='active'"],
    ]);
    let release = (): void => {};
    on.surface.hold = new Promise((resolve) => {
      release = resolve;
    });
    on.surface.show({ ready: true, reasons: [] });
    const waits = async (id: string) => (await on.call('GET', `/v1/requests/${id}`)).body.waiting_reason;
    await expect.poll(() => waits(second!)).toBe(`busy with queue ${first}`);
    expect([await waits(first!), await waits(third!)]).toEqual([null, `behind ${second}`]);
    release();
    await finished(on, third!);
  });

  it('queued prompts keep the order of acceptance, people before machines', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['x'] }),
    });
    await accept(on, prompt('low', { priority: 'low' }));
    await accept(on, prompt('first'));
    await accept(on, prompt('second'));
    const last = await accept(on, prompt('person', { priority: 'high' }));
    on.surface.show({ ready: true, reasons: [] });
    await finished(on, last);
    await expect.poll(() => on.surface.submitted).toEqual(['person', 'first', 'second', 'low']);
  });

  it('a prompt with a known idempotency key is the same request; with other content it is a conflict', async () => {
    const on = await testGateway(ending);
    const first = await on.call('POST', '/v1/requests', prompt('once', { idempotency_key: 'k' }));
    const again = await on.call('POST', '/v1/requests', prompt('once', { idempotency_key: 'k' }));
    expect(again.body).toMatchObject({ request_id: first.body.request_id, duplicate: true });
    expect((await on.call('POST', '/v1/requests', prompt('other', { idempotency_key: 'k' }))).status).toBe(
      409,
    );
    await finished(on, first.body.request_id);
    expect(on.surface.submitted).toEqual(['once']);
  });

  it('a prompt repeated under its idempotency key returns its current state, not that of its acceptance', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['x'] }),
    });
    const ask = (key: string) => on.call('POST', '/v1/requests', prompt('once', { idempotency_key: key }));
    const first = await ask('cancelled');
    expect(first.body).not.toHaveProperty('outcome');
    expect((await ask('cancelled')).body).toMatchObject({
      state: 'accepted',
      outcome: null,
      duplicate: true,
    });
    await on.call('POST', `/v1/requests/${first.body.request_id}/cancel`);
    const cancelled = requestAccepted.parse((await ask('cancelled')).body);
    expect(cancelled).toMatchObject({ state: 'failed', outcome: 'cancelled', duplicate: true });
    on.surface.show({ ready: true, reasons: [] });
    await finished(on, (await ask('done')).body.request_id);
    expect((await ask('done')).body).toMatchObject({ state: 'completed', outcome: 'submitted' });
    expect(on.surface.submitted).toEqual(['once']);
  });

  it('the idempotency key is read from its header too; two keys that differ are refused', async () => {
    const on = await testGateway(ending);
    const ask = (header: string, more: object = {}) =>
      on.call('POST', '/v1/requests', prompt('once', more), { 'idempotency-key': header });
    const first = await ask('k');
    expect((await ask('k')).body).toMatchObject({ request_id: first.body.request_id, duplicate: true });
    expect((await ask('k', { idempotency_key: 'k' })).body).toMatchObject({ duplicate: true });
    const body = prompt('once', { idempotency_key: 'k' });
    expect((await on.call('POST', '/v1/requests', body)).body).toMatchObject({ duplicate: true });
    for (const [header, more] of [
      ['k', { idempotency_key: 'other' }],
      ['k', { idempotency_key: 7 }],
      ['', {}],
      ['x'.repeat(201), {}],
    ] as const)
      expect((await ask(header, more)).status).toBe(422);
    await finished(on, first.body.request_id);
    expect(on.surface.submitted).toEqual(['once']);
    expect((await on.call('GET', '/v1/requests')).body.requests).toHaveLength(1);
  });

  it('a queued prompt can be cancelled while it waits, and not after', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['x'] }),
    });
    const id = await accept(on, prompt('never'));
    const conditional = await on.call('POST', `/v1/requests/${id}/cancel`, { if_state: 'running' });
    expect([conditional.status, conditional.body.error.message]).toEqual([
      422,
      expect.stringContaining('if_state'),
    ]);
    expect((await on.call('POST', `/v1/requests/${id}/cancel`)).body).toMatchObject({ outcome: 'cancelled' });
    const again = await on.call('POST', `/v1/requests/${id}/cancel`);
    expect([again.status, again.body.detail]).toEqual([
      409,
      expect.stringContaining('has ended (cancelled)'),
    ]);
    on.surface.show({ ready: true, reasons: [] });
    await finished(on, await accept(on, prompt('next')));
    expect(on.surface.submitted).toEqual(['next']);
  });

  it('an expired prompt is never typed', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['x'] }),
    });
    const id = await accept(on, prompt('stale', { expires_at: new Date(Date.now() + 30).toISOString() }));
    expect(await finished(on, id)).toMatchObject({ state: 'failed', outcome: 'expired' });
    expect(on.surface.submitted).toEqual([]);
  });

  it('a prompt without proof ends as unconfirmed, never as success, and is not typed again', async () => {
    const on = await testGateway(ending, { prepare: (surface) => surface.outcomes.push('unconfirmed') });
    const view = await finished(on, await accept(on, prompt('lost?')));
    expect(view).toMatchObject({ state: 'failed', outcome: 'unconfirmed' });
    expect(on.surface.submitted).toEqual([]);
  });

  it('an interrupt overtakes a queued prompt and is never gated', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['busy'] }),
    });
    await accept(on, prompt('waits'));
    const id = await accept(on, { kind: 'interrupt', payload: {} });
    expect(await finished(on, id)).toMatchObject({ outcome: 'submitted' });
    expect([on.surface.interrupts, on.surface.submitted.length]).toEqual([1, 0]);
  });

  it('a request has its result beside its ledger: for an interrupt, the keys and the dialog they went into', async () => {
    const on = await testGateway(ending);
    const facts = { keys: ['Escape'], presses: 1, into_dialog: 'permission', still_busy: false };
    on.surface.interrupted = [{ source: 'keys', atUtc: '2026-01-01T00:00:00.000Z', facts }];
    const id = await accept(on, { kind: 'interrupt', payload: {} });
    const view = requestView.parse(await finished(on, id));
    expect(view.result).toMatchObject({ outcome: 'submitted', evidence: [{ source: 'keys', facts }] });
    expect((await on.call('GET', '/v1/requests')).body.requests[0]).not.toHaveProperty('result');
  });
});

/** Its keys must wait, as in a lane where a person types. */
class KeysHeldSurface extends FakeSurface {
  free: () => void = () => {};
  #free = new Promise<void>((resolve) => {
    this.free = resolve;
  });
  override async interrupt(_requestId?: string, pressing?: () => Recheck) {
    await this.#free;
    pressing?.();
    return super.interrupt();
  }
}

/** Refuses its keys for a reason that its observation does not show. */
class KeysRefusingSurface extends FakeSurface {
  asked = 0;
  override async interrupt() {
    this.asked++;
    return {
      outcome: 'not_ready' as const,
      reasons: ['another process is typing'],
      evidence: [],
      untouched: true,
    };
  }
}

describe('a delivery that breaks off', () => {
  it.each([
    ['before anything was typed', false, 'failed'],
    ['after typing had begun', true, 'unconfirmed'],
  ])('a delivery that breaks off %s (typed: %s) ends as %s', async (_when, typed, outcome) => {
    const on = await testGateway(ending);
    on.surface.deliver = async (prompt) => {
      if (typed) await prompt.record('typing', { source: 'lane', atUtc: '', facts: {} });
      throw new Error('the terminal is on fire');
    };
    const id = await accept(on, { kind: 'submit_prompt', payload: { prompt: 'x' } });
    await expect
      .poll(async () => (await on.call('GET', `/v1/requests/${id}`)).body)
      .toMatchObject({ outcome, error_detail: 'the terminal is on fire' });
  });
});

describe('an interrupt whose keys cannot go in', () => {
  const interrupt = { kind: 'interrupt', payload: {} };
  it('an interrupt whose keys must wait waits for the surface, says why, and leaves one entry', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['x'], keysWait: "process='other'" }),
    });
    const id = await accept(on, interrupt);
    const view = async () => (await on.call('GET', `/v1/requests/${id}`)).body;
    await expect.poll(async () => (await view()).waiting_reason).toBe("process='other'");
    for (const reasons of [['y'], ['z']]) on.surface.show({ reasons });
    on.surface.show({ keysWait: "copy_mode='yes'" });
    await expect.poll(async () => (await view()).waiting_reason).toBe("copy_mode='yes'");
    expect([await stagesOf(on, id), on.surface.interrupts]).toEqual([['accepted'], 0]);
    on.surface.show({ keysWait: undefined });
    expect(await finished(on, id)).toMatchObject({ outcome: 'submitted' });
    expect([await stagesOf(on, id), on.surface.interrupts]).toEqual([['accepted', 'running', 'finished'], 1]);
  });

  it('an interrupt that the lane refused is not tried again at once, although the surface shows no reason', async () => {
    const surface = new KeysRefusingSurface();
    const config = { openSurface: () => surface, clock: new FakeClock() };
    const on = await testGateway(ending, { config });
    const id = await accept(on, interrupt);
    await expect.poll(() => stagesOf(on, id)).toEqual(['accepted', 'running', 'returned']);
    const passes = Array.from({ length: 20 }, () => on.call('GET', `/v1/requests/${id}`));
    await Promise.all(passes);
    expect([await stagesOf(on, id), surface.asked]).toEqual([['accepted', 'running', 'returned'], 1]);
  });

  it('the keys of a reminder wait where those of an interrupt must', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ keysWait: "copy_mode='yes'" }),
    });
    const due = { mode: 'one_off', title: 'keys', ranking: 0, start_after_seconds: 0.01 };
    await on.call('POST', '/v1/reminders', {
      schema_version: 1,
      reminders: [{ ...due, send_keys: { sequence: '<[Escape]>', ensure_enter: false } }],
    });
    const left = async () => (await on.call('GET', '/v1/reminders')).body.reminders;
    await expect.poll(async () => (await left())[0]?.delivery_state).toBe('overdue');
    expect(on.surface.keys).toEqual([]);
    on.surface.show({ keysWait: undefined });
    await expect.poll(left).toEqual([]);
    expect(on.surface.keys).toEqual(['<[Escape]>']);
  });
});

describe('interrupts that wait together', () => {
  it('interrupts that wait together become one press of the keys, whatever is queued between them', async () => {
    const surface = new KeysHeldSurface();
    surface.show({ ready: false, reasons: ['busy'] });
    const on = await testGateway(ending, { config: { openSurface: () => surface } });
    const interrupt = { kind: 'interrupt', payload: {} };
    await accept(on, prompt('waits'));
    const first = await accept(on, interrupt);
    await expect.poll(async () => (await on.call('GET', `/v1/requests/${first}`)).body.state).toBe('running');
    const second = await accept(on, interrupt);
    await accept(on, prompt('between'));
    const third = await accept(on, interrupt);
    surface.free();
    const views = await Promise.all([first, second, third].map((id) => finished(on, id)));
    expect(views.map((view) => view.outcome)).toEqual(['submitted', 'coalesced', 'coalesced']);
    expect(views[2].error_detail).toBe(`coalesced into ${first}`);
    expect(surface.interrupts).toBe(1);
  });
});

/** Its first delivery is refused, untouched, when `refuse` is called: the tool ended under it. */
class ReplacedSurface extends FakeSurface {
  refuse: () => void = () => {};
  #refused: Promise<void> | undefined = new Promise((resolve) => {
    this.refuse = resolve;
  });
  override async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    if (this.#refused === undefined) return super.deliver(prompt);
    await this.#refused;
    this.#refused = undefined;
    return { outcome: 'not_ready', reasons: ["process='gone'"], evidence: [], untouched: true };
  }
}

describe('after a restart', () => {
  it('accepted work runs after a restart, once', async () => {
    const before = await testGateway(ending, { prepare: (s) => s.show({ ready: false, reasons: ['x'] }) });
    const id = await accept(before, prompt('survivor'));
    const after = await before.restart(() => {});
    expect(await finished(after, id)).toMatchObject({ outcome: 'submitted' });
    expect(after.surface.submitted).toEqual(['survivor']);
  });

  it('work of an earlier agent process is not replayed until a person decides', async () => {
    const before = await testGateway(ending, { prepare: (s) => s.show({ ready: false, reasons: ['x'] }) });
    const keep = await accept(before, prompt('keep'));
    const drop = await accept(before, prompt('drop'));
    const after = await before.restart((surface) =>
      surface.show({ instanceId: 'fake-2', ready: true, reasons: [] }),
    );
    expect((await after.call('GET', '/v1/status')).body).toMatchObject({
      managed_agent_recovery: 'reconciliation_required',
      request_admission: 'blocked_reconciliation',
      managed_agent_instance_epoch: 2,
    });
    expect((await after.call('POST', '/v1/requests', prompt('new'))).status).toBe(409);
    const again = await after.restart((surface) => surface.show({ instanceId: 'fake-2' }));
    const { requests } = (await again.call('GET', '/v1/reconciliation')).body;
    expect(requests.map((each: { waiting_reason: string }) => each.waiting_reason)).toEqual([
      expect.stringMatching(/^reconciliation: .* keep or discard it/),
      expect.stringMatching(/^reconciliation: .* keep or discard it/),
    ]);
    await again.call('POST', '/v1/reconciliation', { keep: [keep] });
    expect((await again.call('GET', `/v1/requests/${keep}`)).body).toMatchObject({
      state: 'accepted',
      waiting_reason: expect.stringMatching(/^reconciliation: kept/),
    });
    await again.call('POST', '/v1/reconciliation', { discard: [drop] });
    expect(await finished(again, keep)).toMatchObject({ outcome: 'submitted' });
    expect(await finished(again, drop)).toMatchObject({ outcome: 'cancelled' });
    expect(again.surface.submitted).toEqual(['keep']);
    expect((await again.call('GET', '/v1/status')).body.request_admission).toBe('open');
  });

  it('kept work of an earlier agent process runs as soon as all is decided', async () => {
    const before = await testGateway(ending, { prepare: (s) => s.show({ ready: false, reasons: ['x'] }) });
    const ids = [await accept(before, prompt('one')), await accept(before, prompt('two'))];
    const after = await before.restart((surface) => surface.show({ instanceId: 'fake-2' }));
    await after.call('POST', '/v1/reconciliation', { keep: ids });
    const { ledger } = await finished(after, ids[1]!);
    expect(ledger.map((entry: { stage: string }) => entry.stage).slice(0, 3)).toEqual([
      'accepted',
      'kept',
      'running',
    ]);
    expect(after.surface.submitted).toEqual(['one', 'two']);
  });

  describe.each([
    ['alone', false],
    ['with another one queued', true],
  ])('a request under way, %s, when its agent process was replaced', (_how, another) => {
    const rest = async (on: TestGateway): Promise<string[]> =>
      another ? [await accept(on, prompt('behind it'))] : [];

    /** The requests are offered for reconciliation and, once kept, each runs once. */
    async function isOffered(on: TestGateway, ids: string[], submitted: string[]): Promise<void> {
      await expect
        .poll(async () => (await on.call('GET', '/v1/reconciliation')).body)
        .toMatchObject({
          managed_agent_recovery: 'reconciliation_required',
          requests: ids.map((request_id) => ({ request_id })),
        });
      await on.call('POST', '/v1/reconciliation', { keep: ids });
      for (const id of ids) expect(await finished(on, id)).toMatchObject({ outcome: 'submitted' });
      expect(on.surface.submitted).toEqual(submitted);
    }

    it('a request whose agent process was replaced while the gateway was down is offered for reconciliation', async () => {
      const before = await testGateway(ending);
      before.surface.hold = new Promise((resolve) => ending.add(resolve));
      const id = await accept(before, prompt('under way'));
      await expect.poll(async () => (await stagesOf(before, id)).at(-1)).toBe('typing');
      const ids = [id, ...(await rest(before))];
      // As a killed gateway leaves it: its row is running.
      const killed = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-killed-')), 'root');
      fs.cpSync(before.root, killed, { recursive: true });
      ending.add(() => fs.rmSync(path.dirname(killed), { recursive: true, force: true }));
      const after = await testGateway(ending, {
        root: killed,
        prepare(surface) {
          surface.verdict = 'not_submitted';
          surface.show({ instanceId: 'fake-2' });
        },
      });
      expect((await after.call('GET', '/v1/status')).body.request_admission).toBe('blocked_reconciliation');
      await isOffered(after, ids, another ? ['under way', 'behind it'] : ['under way']);
    });

    it('a request whose agent process was replaced under a live gateway is offered for reconciliation', async () => {
      const surface = new ReplacedSurface();
      const on = await testGateway(ending, { config: { openSurface: () => surface } });
      const id = await accept(on, prompt('under way'));
      await expect.poll(async () => (await stagesOf(on, id)).at(-1)).toBe('running');
      const ids = [id, ...(await rest(on))];
      surface.show({ instanceId: 'fake-2' });
      surface.refuse();
      await isOffered({ ...on, surface }, ids, another ? ['under way', 'behind it'] : ['under way']);
    });
  });

  it('cancelling a request decides about it in reconciliation', async () => {
    const before = await testGateway(ending, { prepare: (s) => s.show({ ready: false, reasons: ['x'] }) });
    const id = await accept(before, prompt('cancelled'));
    const after = await before.restart((surface) => surface.show({ instanceId: 'fake-2' }));
    await after.call('POST', `/v1/requests/${id}/cancel`);
    expect((await after.call('GET', '/v1/status')).body.request_admission).toBe('open');
  });

  it('a relaunch without accepted work left needs no decision', async () => {
    const before = await testGateway(ending);
    await finished(before, await accept(before, prompt('done')));
    const after = await before.restart((surface) => surface.show({ instanceId: 'fake-2' }));
    expect((await after.call('GET', '/v1/status')).body).toMatchObject({ request_admission: 'open' });
  });
});

describe('a prompt typed now', () => {
  it('a direct prompt is submitted and leaves the same ledger as a queued one', async () => {
    const on = await testGateway(ending);
    const answer = await on.call('POST', '/v1/control/prompt', { prompt: 'now' });
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok', sent: true, forced: false } });
    const view = (await on.call('GET', `/v1/requests/${answer.body.evidence.request_id}`)).body;
    expect(view).toMatchObject({ outcome: 'submitted', source: 'direct' });
  });

  it.each([
    ['the agent is not ready', { ready: false, reasons: ["draft='yes'"] }, {}, 409, 'not_ready'],
    ['the agent is gone', { connectivity: 'unavailable', ready: false } as const, {}, 503, 'unavailable'],
    [
      'a chat session is asked of a TUI',
      {},
      { chat_session: { mode: 'current' } },
      422,
      'invalid_chat_session',
    ],
    ['a model is asked of a TUI', {}, { execution: { model: { name: 'm' } } }, 422, 'invalid_execution'],
  ])(
    'a direct prompt is refused when %s, with the structured detail, and nothing is typed',
    async (_when, show, more, status, code) => {
      const on = await testGateway(ending, { prepare: (surface) => surface.show(show) });
      const answer = await on.call('POST', '/v1/control/prompt', { prompt: 'x', ...more });
      expect(answer.status).toBe(status);
      expect(answer.body.detail).toMatchObject({ status: 'error', sent: false, error_code: code });
      expect(on.surface.submitted).toEqual([]);
      expect((await on.call('GET', '/v1/status')).body.queue_depth).toBe(0);
    },
  );

  it('a direct prompt is refused with the reasons of its own delivery, and is never queued', async () => {
    const on = await testGateway(ending);
    on.surface.deliver = async () => {
      on.surface.show({ ready: false, reasons: ["stable='false'"] });
      return { outcome: 'not_ready', reasons: ["person_typing='yes'"], evidence: [], untouched: true };
    };
    const { detail } = (await on.call('POST', '/v1/control/prompt', { prompt: 'x' })).body;
    expect(detail).toMatchObject({ error_code: 'not_ready', reasons: ["person_typing='yes'"] });
    const view = (await on.call('GET', `/v1/requests/${detail.request_id}`)).body;
    expect(view).toMatchObject({ outcome: 'refused', error_detail: "person_typing='yes'" });
    expect(view.ledger.map(({ stage }: { stage: string }) => stage)).not.toContain('returned');
  });

  it('a direct prompt is refused while another execution is running, and the status shows that one is', async () => {
    const on = await testGateway(ending);
    let release: () => void = () => {};
    on.surface.hold = new Promise((resolve) => {
      release = resolve;
    });
    const first = on.call('POST', '/v1/control/prompt', { prompt: 'slow' });
    await expect.poll(async () => (await on.call('GET', '/v1/status')).body.active_execution).toBe('running');
    expect((await on.call('POST', '/v1/control/prompt', { prompt: 'x' })).body.detail.error_code).toBe(
      'not_ready',
    );
    release();
    expect((await first).status).toBe(200);
    expect(on.surface.submitted).toEqual(['slow']);
  });
});

class HeadlessFake extends FakeSurface {
  override readonly kind = 'headless';
  refused: string | undefined;
  override async deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    if (this.refused === undefined) {
      const result = await super.deliver(prompt);
      await this.turn;
      return result;
    }
    return { outcome: 'refused', reasons: [this.refused], evidence: [], untouched: true };
  }
  /** The turn continues until this resolves. */
  turn: Promise<void> | undefined;
}

describe('a prompt for a headless agent, now', () => {
  it('a direct headless prompt returns its request and turn when the tool has it, while the turn goes on', async () => {
    const surface = new HeadlessFake();
    let over: () => void = () => {};
    surface.turn = new Promise((resolve) => {
      over = resolve;
    });
    const on = await testGateway(ending, { config: { openSurface: () => surface } });
    const { status, body } = await on.call('POST', '/v1/control/prompt', { prompt: 'now' });
    expect([status, body.sent, surface.submitted]).toEqual([200, true, ['now']]);
    const id = body.evidence.request_id;
    expect((await on.call('GET', `/v1/requests/${id}`)).body).toMatchObject({
      state: 'running',
      payload: { turn_id: body.turn_id },
    });
    over();
    expect(await finished(on, id)).toMatchObject({ outcome: 'submitted' });
  });

  it('a direct headless prompt that the tool refuses is refused with its request, never reported as sent', async () => {
    const surface = new HeadlessFake();
    surface.refused = 'scripted has no argument for a reasoning level';
    const on = await testGateway(ending, { config: { openSurface: () => surface } });
    const body = { prompt: 'now', execution: { model: { reasoning: { level: 3 } } } };
    const answer = await on.call('POST', '/v1/control/prompt', body);
    expect(answer).toMatchObject({
      status: 422,
      body: { detail: { sent: false, outcome: 'refused', reasons: [surface.refused] } },
    });
    const view = (await on.call('GET', `/v1/requests/${answer.body.detail.request_id}`)).body;
    expect(view).toMatchObject({ outcome: 'refused', error_detail: surface.refused });
    expect((await on.call('GET', '/v1/status')).body.active_execution).toBe('idle');
  });
});

describe('raw keys', () => {
  it('raw keys are sent as requested, also into a busy agent, and unknown keys are refused unsent', async () => {
    const on = await testGateway(ending, {
      prepare: (surface) => surface.show({ ready: false, reasons: ['busy'] }),
    });
    expect((await on.call('POST', '/v1/control/send-keys', { sequence: '<[Escape]>' })).status).toBe(200);
    const bad = await on.call('POST', '/v1/control/send-keys', { sequence: '<[escape]>' });
    expect(bad.status).toBe(422);
    expect(JSON.stringify(bad.body.detail)).toMatch(/Escape/);
    const control = await on.call('POST', '/v1/control/send-keys', { sequence: 'hello<[Enter]>bad\u001bx' });
    expect(control).toMatchObject({ status: 422, body: { error: { code: 'invalid' } } });
    expect(JSON.stringify(control.body.detail)).toMatch(/U\+001B/);
    expect(on.surface.keys).toEqual(['<[Escape]>']);
  });
});
