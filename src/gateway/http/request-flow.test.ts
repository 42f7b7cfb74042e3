import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, FakeClock } from '../../base/index.ts';
import { GatewayClient } from '../../client/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { gatewayEvent } from '../../wire/index.ts';
import { type TestGateway, testGateway } from '../testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const BUSY = { ready: false, reasons: ['busy'] };
const READY = { ready: true, reasons: [] };
const busy = (surface: FakeSurface): void => surface.show(BUSY);
const client = ({ gateway }: TestGateway): GatewayClient =>
  new GatewayClient({ host: '127.0.0.1', port: gateway.port });
const full = process.env['ROUSE_PROOF'] === 'full';

async function submit(on: TestGateway, text: string): Promise<string> {
  return (await client(on).submitPrompt({ prompt: text })).request_id;
}

/** Reads events until `count` came, or the stream ended. */
async function read(on: TestGateway, wanted: { after?: string; request_id?: string }, count: number) {
  const stop = new AbortController();
  const seen: { id: number; request: string; stage: string }[] = [];
  for await (const { id, event, data } of client(on).events(wanted, stop.signal)) {
    seen.push({ id: Number(id), request: (data as { request_id: string }).request_id, stage: event });
    if (seen.length === count) stop.abort();
  }
  return seen;
}

describe('the event stream', () => {
  it('the event stream replays from any id without gap or repeat, also while more is written', async () => {
    const on = await testGateway(ending);
    for (let i = 0; i < 5; i++) await client(on).getRequest(await submit(on, `before ${i}`), true);
    const writing = (async () => {
      for (let i = 0; i < 5; i++) await client(on).getRequest(await submit(on, `during ${i}`), true);
    })();
    const whole = await read(on, { after: '0' }, 60);
    await writing;
    expect(whole.map((each) => each.id)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
    for (const cut of [1, 17, 42]) {
      const rest = await read(on, { after: String(cut) }, 60 - cut);
      expect(rest).toEqual(whole.slice(cut));
    }
  });

  it('the event stream continues after the last event seen when the connection breaks and the gateway restarts', async () => {
    const before = await testGateway(ending, { prepare: busy });
    await submit(before, 'one');
    const [first] = await read(before, { after: '0' }, 1);
    const after = await before.restart(() => {});
    const rest = await read(after, { after: String(first!.id) }, 5);
    expect(rest.map((each) => each.stage)).toEqual(['running', 'typing', 'typed', 'submitted', 'finished']);
  });

  it('the event stream of one request has its whole life, and is 404 for an unknown one', async () => {
    const on = await testGateway(ending);
    await client(on).getRequest(await submit(on, 'other'), true);
    const id = await submit(on, 'mine');
    const life = await read(on, { request_id: id }, 6);
    expect(new Set(life.map((each) => each.request))).toEqual(new Set([id]));
    await expect(read(on, { request_id: 'gwreq-unknown' }, 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the event stream of one request ends when nothing more can come, and not before', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const whole = async (id: string, after?: string) =>
      (await read(on, { request_id: id, ...(after && { after }) }, 99)).map((each) => each.stage);
    const cancelled = await submit(on, 'never');
    const watched = whole(cancelled);
    await client(on).call('requests.cancel', { request_id: cancelled });
    expect(await watched).toEqual(['accepted', 'finished']);
    expect(await whole(cancelled)).toEqual(['accepted', 'finished']);
    expect(await whole(cancelled, '999')).toEqual([]);

    on.surface.show(READY);
    const STAGES = ['accepted', 'running', 'typing', 'typed', 'submitted', 'finished'];
    const turned = await submit(on, 'with a turn');
    await client(on).getRequest(turned, true);
    const turning = whole(turned);
    await on.surface.reportStage('turn_seen');
    await on.surface.reportStage('turn_finished');
    expect(await turning).toEqual([...STAGES, 'turn_seen', 'turn_finished']);

    const unseen = await submit(on, 'without a turn seen');
    await client(on).getRequest(unseen, true);
    const waiting = whole(unseen);
    await client(on).getRequest(await submit(on, 'next'), true);
    expect(await waiting).toEqual(STAGES);

    on.surface.provenBy = 'command';
    expect(await whole(await submit(on, '/compact'))).toEqual(STAGES);
  });

  it('the event stream of a request that an earlier gateway typed ends with the stored entries', async () => {
    const before = await testGateway(ending);
    const id = await submit(before, 'x');
    await client(before).getRequest(id, true);
    const after = await before.restart();
    expect((await read(after, { request_id: id }, 99)).at(-1)?.stage).toBe('finished');
  });

  it.each([
    ['/v1/events?after=abc', {}],
    ['/v1/events', { 'last-event-id': 'abc' }],
    ['/v1/events?after=1', { 'last-event-id': '-1' }],
  ])('the event stream refuses a last event that is no id: %s %j', async (route, headers) => {
    const on = await testGateway(ending);
    expect((await on.call('GET', route, undefined, headers)).status).toBe(422);
  });

  it('the event stream from a future id waits at the end, and does not block other requests', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const reading = read(on, { after: '999999' }, 1);
    await expect.poll(async () => (await on.call('GET', '/v1/status')).status).toBe(200);
    await submit(on, 'new');
    expect(await reading).toMatchObject([{ stage: 'accepted' }]);
  });
});

describe('waiting for the end of a request', () => {
  it('waiting for a request returns when it has ended, to every waiter, and at once afterwards', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const id = await submit(on, 'x');
    const waiting = Promise.all([1, 2, 3].map(() => client(on).getRequest(id, true)));
    await expect.poll(async () => (await client(on).getRequest(id)).waiting_reason).toBe('busy');
    on.surface.show(READY);
    for (const view of await waiting) expect(view.outcome).toBe('submitted');
    expect((await client(on).getRequest(id, true)).outcome).toBe('submitted');
  });

  it('giving up to wait for a request disturbs nothing', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const id = await submit(on, 'x');
    const gone = client(on).getRequest(id, true, { timeoutMs: 50 });
    await expect(gone).rejects.toMatchObject({ code: 'unavailable' });
    on.surface.show(READY);
    expect((await client(on).getRequest(id, true)).outcome).toBe('submitted');
    expect(on.surface.submitted).toEqual(['x']);
  });

  it('waiting for an unknown request is 404', async () => {
    const on = await testGateway(ending);
    await expect(client(on).getRequest('gwreq-unknown', true)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a list of requests', () => {
  it('a list of requests shows the beginning of a long prompt and says so; the request itself has it whole', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const long = 'é'.repeat(100_000);
    const id = await submit(on, long);
    const short = await submit(on, 'short');
    const { requests } = await client(on).call('requests.list', {});
    expect(requests.map((each) => [each.request_id, each.payload_cut])).toEqual([
      [short, undefined],
      [id, true],
    ]);
    expect(requests[1]!.payload['prompt']).toBe('é'.repeat(1024));
    const whole = await client(on).getRequest(id);
    expect([whole.payload['prompt'] === long, whole.payload_cut]).toEqual([true, undefined]);
  });
});

describe('queued control intents', () => {
  it('queued control intents are coalesced: the strongest context command runs, the others end with it', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const ids = await Promise.all(['/compact', ' /new\n', ' /clear '].map((text) => submit(on, text)));
    on.surface.show(READY);
    const views = await Promise.all(ids.map((id) => client(on).getRequest(id, true)));
    expect(views.map((view) => [view.state, view.outcome])).toEqual([
      ['coalesced', 'coalesced'],
      ['completed', 'submitted'],
      ['coalesced', 'coalesced'],
    ]);
    expect(views[0]!.error_detail).toContain(ids[1]);
    expect(on.surface.submitted).toEqual(['/new']);
  });

  it('joined control intents end like the one they were joined to when that one did not run', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const ids = await Promise.all(['/compact', '/new', '/clear'].map((text) => submit(on, text)));
    await expect
      .poll(async () => (await client(on).getRequest(ids[0]!)).waiting_reason)
      .toBe(`joined to ${ids[1]}`);
    on.surface.outcomes = ['failed'];
    on.surface.show(READY);
    const views = await Promise.all(ids.map((id) => client(on).getRequest(id, true)));
    expect(views.map((view) => [view.state, view.outcome])).toEqual(ids.map(() => ['failed', 'failed']));
    expect(views[0]!.error_detail).toBe(
      `not typed: joined to ${ids[1]}, which ended as failed: the test requested failed`,
    );
    expect(on.surface.submitted).toEqual([]);
  });

  it('joined control intents are not reported as typed when only the one they were joined to was', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const ids = await Promise.all(['/compact', '/new'].map((text) => submit(on, text)));
    on.surface.outcomes = ['unconfirmed'];
    on.surface.show(READY);
    const [joined, ran] = await Promise.all(ids.map((id) => client(on).getRequest(id, true)));
    expect([ran!.outcome, joined!.outcome]).toEqual(['unconfirmed', 'failed']);
    expect(joined!.error_detail).toMatch(/^not typed: joined to .*, which ended as unconfirmed/);
  });

  it('context commands are typed without the white space around them, also as direct prompts', async () => {
    const on = await testGateway(ending);
    const answer = await on.call('POST', '/v1/control/prompt', { prompt: ' /clear\n' });
    expect(answer).toMatchObject({ status: 200, body: { sent: true } });
    await client(on).getRequest(await submit(on, ' /new '), true);
    await client(on).getRequest(await submit(on, ' an ordinary one\n'), true);
    expect(on.surface.submitted).toEqual(['/clear', '/new', ' an ordinary one\n']);
  });

  it('joined control intents run themselves when the one they were joined to is cancelled', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const ids = await Promise.all(['/clear', '/new'].map((text) => submit(on, text)));
    await client(on).call('requests.cancel', { request_id: ids[1]! });
    on.surface.show(READY);
    expect((await client(on).getRequest(ids[0]!, true)).outcome).toBe('submitted');
    expect(on.surface.submitted).toEqual(['/clear']);
  });
});

describe('direct prompts in events.jsonl', () => {
  const promptEvents = (on: TestGateway) =>
    fs
      .readFileSync(path.join(on.root, 'gateway', 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => gatewayEvent.parse(JSON.parse(line)))
      .filter(({ kind }) => kind.startsWith('control_prompt'));

  it('a submitted direct prompt is in events.jsonl with its time', async () => {
    const on = await testGateway(ending);
    const { body } = await on.call('POST', '/v1/control/prompt', { prompt: 'hello' });
    expect(promptEvents(on)).toMatchObject([
      {
        kind: 'control_prompt_submitted',
        request_id: body.evidence.request_id,
        admission_policy: 'ready_only',
        submitted_at_utc: expect.any(String),
      },
    ]);
  });

  it('a refused direct prompt is in events.jsonl with its reason, whether the gateway or the agent refused it', async () => {
    const on = await testGateway(ending, { prepare: busy });
    await on.call('POST', '/v1/control/prompt', { prompt: 'x', execution: { model: { name: 'm' } } });
    on.surface.outcomes = ['not_ready'];
    await on.call('POST', '/v1/control/prompt', { prompt: 'x' });
    expect(promptEvents(on)).toMatchObject([
      { kind: 'control_prompt_refused', error_code: 'invalid_execution' },
      { kind: 'control_prompt_refused', error_code: 'not_ready', request_id: expect.any(String) },
    ]);
  });

  it('a direct prompt that ended otherwise is in events.jsonl as failed', async () => {
    const on = await testGateway(ending);
    on.surface.outcomes = ['unconfirmed'];
    await on.call('POST', '/v1/control/prompt', { prompt: 'x' });
    expect(promptEvents(on)).toMatchObject([{ kind: 'control_prompt_failed', outcome: 'unconfirmed' }]);
  });
});

/** The observation says ready; the lane, which looks closer, never types. */
class Refusing extends FakeSurface {
  attempts = 0;
  override deliver = async () => {
    this.attempts++;
    return { outcome: 'not_ready' as const, reasons: ["person_typing='yes'"], evidence: [], untouched: true };
  };
}

describe('a lane that refuses although the agent seems ready', () => {
  it('a lane that refuses although the agent seems ready is asked again with growing pauses', async () => {
    const clock = new FakeClock();
    const surface = new Refusing();
    const on = await testGateway(ending, { config: { clock, openSurface: () => surface } });
    const id = await submit(on, 'x');
    await expect.poll(() => surface.attempts).toBe(1);
    await clock.advance(600_000);
    expect(surface.attempts).toBeLessThan(20);
    await expect
      .poll(() => client(on).getRequest(id))
      .toMatchObject({ state: 'accepted', waiting_reason: "person_typing='yes'" });
    await expect.poll(async () => (await client(on).status()).active_execution).toBe('idle');
    const before = surface.attempts;
    surface.show({ observedAtUtc: 'later' });
    await expect.poll(() => surface.attempts, { timeout: 10_000 }).toBe(before + 1);
  });
});

describe('after a crash', () => {
  it('after a crash a direct prompt that was never typed is ended, not kept for later', async () => {
    const on = await testGateway(ending, { prepare: busy });
    const id = await submit(on, 'queued');
    await on.gateway.stop('crash');
    const { openSqlite } = await import('../../db/index.ts');
    const { QUEUE_FILE_MIGRATIONS } = await import('../queue-file.ts');
    const db = openSqlite({ file: `${on.root}/gateway/queue.sqlite`, migrations: QUEUE_FILE_MIGRATIONS });
    db.run("UPDATE gateway_requests SET source = 'direct' WHERE request_id = ?", [id]);
    db.close();
    const after = await on.restart(() => {});
    expect(await client(after).getRequest(id, true)).toMatchObject({ outcome: 'failed' });
    expect(after.surface.submitted).toEqual([]);
  });
});

describe('two clients at once', () => {
  it('two clients at once keep their order while the queue drains; depth and status stay right', {
    timeout: 900_000,
  }, async () => {
    const each = full ? 5000 : 60;
    const on = await testGateway(ending);
    const post = async (name: string): Promise<void> => {
      for (let i = 0; i < each; i++) await submit(on, `${name} ${i}`);
    };
    const posting = Promise.all([post('a'), post('b')]);
    const during = await client(on).status();
    expect(during.queue_depth).toBeLessThanOrEqual(2 * each);
    await posting;
    await expect
      .poll(async () => (await client(on).status()).queue_depth, { timeout: 800_000, interval: 100 })
      .toBe(0);
    for (const name of ['a', 'b']) {
      const mine = on.surface.submitted.filter((text) => text.startsWith(`${name} `));
      expect(mine).toEqual(Array.from({ length: each }, (_, i) => `${name} ${i}`));
    }
  });
});
