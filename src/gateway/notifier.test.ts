import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending } from '../base/index.ts';
import { openSqlite } from '../db/index.ts';
import { mailNotifierStatus } from '../wire/index.ts';
import { decideWake, type WakeFacts } from './notifier/index.ts';
import { QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { type TestGateway, testGateway } from './testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const HOUR = { interval_seconds: 3600 };
const enable = (on: TestGateway, more: object = HOUR) => on.call('PUT', '/v1/mail-notifier', more);
const status = async (on: TestGateway) => (await on.call('GET', '/v1/mail-notifier')).body;
const decisions = async (on: TestGateway) =>
  (await on.call('GET', '/v1/mail-notifier/decisions')).body.decisions;
const sendMail = (on: TestGateway, subject = 'hello') =>
  on.mail.mailbox('peer@test').send({ to: ['agent@test'], subject, body_content: 'do it' });
const wakes = (on: TestGateway): number => on.surface.submitted.length;

describe('the notifier', () => {
  it('the notifier is off until enabled, and reports its state', async () => {
    const on = await testGateway(ending);
    expect(mailNotifierStatus.parse(await status(on))).toMatchObject({
      enabled: false,
      interval_seconds: null,
      mode: 'any_inbox',
      supported: true,
    });
    expect((await enable(on, { ...HOUR, mode: 'unread_only' })).body).toMatchObject({
      enabled: true,
      mode: 'unread_only',
    });
    expect((await on.call('DELETE', '/v1/mail-notifier')).body).toMatchObject({
      enabled: false,
      mode: 'unread_only',
    });
  });

  it('the notifier keeps repeat, quiet hours and budget that a call omits, through disable and enable', async () => {
    const on = await testGateway(ending);
    const quiet_hours = { from: '22:00', to: '07:00', time_zone: 'UTC' };
    const own = { repeat: 'backoff', quiet_hours, wakes_per_hour: 30 };
    await enable(on, { ...HOUR, ...own, mode: 'unread_only' });
    await on.call('DELETE', '/v1/mail-notifier');
    expect(await status(on)).toMatchObject({ ...own, enabled: false, interval_seconds: null });
    expect((await enable(on, { interval_seconds: 60 })).body).toMatchObject({
      ...own,
      interval_seconds: 60,
      mode: 'any_inbox',
    });
    const cleared = { quiet_hours: null, wakes_per_hour: null };
    expect((await enable(on, { ...HOUR, ...cleared })).body).toMatchObject({ repeat: 'backoff', ...cleared });
  });

  it('the notifier reads its record at every look, and overwrites nothing that others changed there', async () => {
    const on = await testGateway(ending);
    await enable(on, { ...HOUR, repeat: 'backoff' });
    await expect.poll(async () => (await decisions(on)).length).toBe(0);
    const other = openSqlite({
      file: path.join(on.root, 'gateway', 'queue.sqlite'),
      migrations: QUEUE_FILE_MIGRATIONS,
    });
    ending.add(() => other.close());
    other.run('UPDATE gateway_mail_notifier SET enabled = 0, wakes_per_hour = 7');
    expect(await status(on)).toMatchObject({ enabled: false, wakes_per_hour: 7 });
    await sendMail(on);
    on.surface.show({ ready: false, reasons: ["dialog='permission'"] });
    on.surface.show({ ready: true, reasons: [] });
    expect(await decisions(on)).toEqual([]);
    expect(other.get('SELECT enabled, wakes_per_hour FROM gateway_mail_notifier')).toEqual({
      enabled: 0,
      wakes_per_hour: 7,
    });
    other.run(
      "UPDATE gateway_mail_notifier SET enabled = 1, quiet_hours_json = '{', repeat_policy = 'often'",
    );
    expect(await status(on)).toMatchObject({ enabled: true, quiet_hours: null, repeat: 'every_poll' });
    await expect.poll(() => wakes(on)).toBe(1);
    expect(other.get('SELECT wakes_per_hour FROM gateway_mail_notifier')).toEqual({ wakes_per_hour: 7 });
  });

  it('the notifier does not look for mail while its stored interval is unusable', async () => {
    const on = await testGateway(ending);
    await enable(on);
    const other = openSqlite({
      file: path.join(on.root, 'gateway', 'queue.sqlite'),
      migrations: QUEUE_FILE_MIGRATIONS,
    });
    ending.add(() => other.close());
    other.run('UPDATE gateway_mail_notifier SET interval_seconds = 0');
    expect(await status(on)).toMatchObject({ interval_seconds: null });
    await sendMail(on);
    expect(await decisions(on)).toEqual([]);
  });

  it.each([
    {},
    { interval_seconds: 0 },
    { interval_seconds: 1.5 },
    { ...HOUR, mode: 'x' },
    { ...HOUR, enabled: false },
  ])('refuses %j and stays off', async (body) => {
    const on = await testGateway(ending);
    expect((await enable(on, body)).status).toBe(422);
    expect((await status(on)).enabled).toBe(false);
  });

  it('the notifier looks again as soon as enough wakes of the last hour are an hour old', async () => {
    const on = await testGateway(ending);
    await enable(on, { ...HOUR, wakes_per_hour: 1 });
    await sendMail(on, 'one');
    await expect.poll(() => wakes(on)).toBe(1);
    await sendMail(on, 'two');
    await expect.poll(async () => (await decisions(on))[0].detail).toBe('wake_budget 1 of 1 used');
    const [held, woken] = await decisions(on);
    const free = Date.parse(held.facts.budget_free_at_utc);
    expect(free - Date.parse(woken.poll_time_utc)).toBe(3_601_000);
    expect(decideWake(held.facts as WakeFacts).look_again_utc).toBe(new Date(free).toISOString());
  });

  it('new mail wakes an idle agent at once, long before the interval', async () => {
    const on = await testGateway(ending);
    await enable(on);
    await sendMail(on);
    await expect.poll(() => wakes(on)).toBe(1);
    const [decision] = await decisions(on);
    expect(decision).toMatchObject({ outcome: 'enqueued', unread_count: 1, request_admission: 'open' });
    expect(await status(on)).toMatchObject({
      last_notification_at_utc: decision.poll_time_utc,
      last_error: null,
    });
  });

  it('a wake puts the exact endpoints and no byte of any message into the prompt', async () => {
    const on = await testGateway(ending);
    await enable(on);
    await sendMail(on, 'SECRET-SUBJECT rm -rf');
    await expect.poll(() => wakes(on)).toBe(1);
    const [text] = on.surface.submitted;
    expect(text).toContain(`http://127.0.0.1:${on.gateway.port}/v1/mail/list`);
    expect(text).not.toMatch(/SECRET|peer@test|do it|filesystem:|memory:/);
  });

  it('a wake names senders only with announce, the registered and the person by name, and never a subject', async () => {
    const on = await testGateway(ending, {
      config: {
        wakeTemplate: () => ({ text: 'open mail\n{{senders}}\n', problem: null }),
        registeredNames: () => new Map([['peer@test', 'peer']]),
      },
    });
    on.mail.register('stranger@test');
    await enable(on, { ...HOUR, announce: 'senders' });
    await sendMail(on, 'SECRET-SUBJECT');
    await expect.poll(() => on.surface.submitted).toEqual(['open mail\nMail from: peer.']);
    await on.mail.mailbox('stranger@test').send({ to: ['agent@test'], subject: 'SECRET', body_content: 'x' });
    await on.mail.mailbox('agent@test').post({ subject: 'SECRET', body_content: 'x' });
    const seen = async () => (await on.call('GET', '/v1/mail-notifier/preview')).body.prompt;
    await expect
      .poll(seen)
      .toBe('open mail\nMail from: peer, "you" (the person you work for), someone outside.');
    expect((await enable(on, { ...HOUR, announce: 'nothing' })).body).toMatchObject({ announce: 'nothing' });
    await expect.poll(seen).toBe('open mail');
  });

  it('the short text of a wake is used only where the session has mail tools', async () => {
    const texts: string[] = [];
    let tools: ((name: string) => string) | undefined = (name) => `rouse_mail_${name}`;
    const on = await testGateway(ending, {
      config: {
        agentTools: () => ({ mail: tools, elsewhere: false, missing: false }),
        wakeTemplate: (text) => {
          texts.push(text);
          return { text: `the ${text} text`, problem: null };
        },
      },
    });
    expect((await enable(on, { ...HOUR, wake_text: 'short' })).body).toMatchObject({ wake_text: 'short' });
    expect((await on.call('GET', '/v1/mail-notifier/preview')).body.prompt).toBe('the short text');
    tools = undefined;
    expect((await on.call('GET', '/v1/mail-notifier/preview')).body.prompt).toBe('the full text');
    expect(new Set(texts)).toEqual(new Set(['short', 'full']));
    expect((await enable(on, { ...HOUR, wake_text: 'long' })).status).toBe(422);
  });

  it('a preview shows the wake as it would be typed, and changes nothing', async () => {
    const on = await testGateway(ending, {
      config: {
        agentTools: () => ({ mail: (name) => `rouse_mail_${name}`, elsewhere: false, missing: false }),
      },
    });
    const none = await on.call('GET', '/v1/mail-notifier/preview');
    expect([none.status, none.body]).toEqual([
      200,
      expect.objectContaining({ open_mail: 0, leads_with: 'tools', mode: 'any_inbox', problem: null }),
    ]);
    await enable(on);
    await on.surface.show({ ready: false, reasons: ["phase='active'"] });
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.outcome).toBe('busy_skip');
    const before = await decisions(on);
    const { body } = await on.call('GET', '/v1/mail-notifier/preview');
    expect(body.open_mail).toBe(1);
    expect([await decisions(on), wakes(on)]).toEqual([before, 0]);
    on.surface.show({ ready: true, reasons: [] });
    await expect.poll(() => wakes(on)).toBe(1);
    expect(on.surface.submitted).toEqual([body.prompt]);
  });

  it('a busy agent is not woken, the reason is reported, and it is woken as soon as it is ready', async () => {
    const on = await testGateway(ending, {
      prepare: (s) => s.show({ ready: false, busy: true, reasons: ["phase='active'"] }),
    });
    await enable(on);
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.outcome).toBe('busy_skip');
    expect((await decisions(on))[0]).toMatchObject({ active_execution: 'running', queue_depth: 0 });
    expect((await status(on)).held_back).toBe("phase='active'");
    expect(wakes(on)).toBe(0);
    on.surface.show({ ready: true, busy: false, reasons: [] });
    await expect.poll(() => wakes(on)).toBe(1);
  });

  it('one audit row is written for each waiting message, however often its change is reported', async () => {
    const on = await testGateway(ending, {
      prepare: (s) => s.show({ ready: false, reasons: ["phase='active'"] }),
    });
    await enable(on);
    for (let n = 1; n <= 5; n++) {
      await sendMail(on, `mail ${n} ${'x'.repeat(800)}`);
      await expect.poll(async () => (await decisions(on))[0]?.unread_count).toBe(n);
      on.mail.changed.emit({ address: 'agent@test' });
      await on.call('GET', '/v1/mail-notifier');
      on.mail.changed.emit({ address: 'agent@test' });
    }
    const rows = await decisions(on);
    expect(rows.map((row: { unread_count: number }) => row.unread_count)).toEqual([5, 4, 3, 2, 1]);
    expect(JSON.stringify(rows[0]).length).toBeLessThan(3000);
  });

  it('events announce each message once: a finished turn does not cause the next prompt', async () => {
    const on = await testGateway(ending);
    await enable(on);
    await sendMail(on);
    await expect.poll(() => wakes(on)).toBe(1);
    for (let turn = 0; turn < 5; turn++) {
      on.surface.show({ ready: false, reasons: ['busy'] });
      on.surface.show({ ready: true, reasons: [] });
    }
    await sendMail(on, 'second');
    await expect.poll(() => wakes(on)).toBe(2);
    expect((await decisions(on)).filter((d: { outcome: string }) => d.outcome === 'enqueued')).toHaveLength(
      2,
    );
  });

  it.each(['every_poll', 'on_change', 'backoff'])(
    'with %s all open mail is announced to a new process of the agent, at once and once',
    async (repeat) => {
      const on = await testGateway(ending);
      await enable(on, { ...HOUR, repeat });
      await sendMail(on, 'one');
      await expect.poll(() => wakes(on)).toBe(1);
      on.surface.show({ ready: false, connectivity: 'unavailable', instanceId: null });
      on.surface.show({ ready: true, connectivity: 'connected', instanceId: 'fake-2' });
      await expect.poll(() => wakes(on)).toBe(2);
      const [newest] = await decisions(on);
      expect(newest.facts).toMatchObject({ epoch: 2, unannounced_count: 1, repeats: 0 });
      expect(newest.chain[1]).toBe(
        'repeat: this process of the agent was not told of all of it, trigger ready',
      );
      for (let turn = 0; turn < 3; turn++) {
        on.surface.show({ ready: false, reasons: ['busy'] });
        on.surface.show({ ready: true, reasons: [] });
      }
      await sendMail(on, 'two');
      await expect.poll(() => wakes(on)).toBe(3);
      expect((await decisions(on))[0].facts.unannounced_count).toBe(1);
    },
  );

  it('a wake ends as superseded, untyped, when its mail was handled before it could be typed', async () => {
    const on = await testGateway(ending);
    await enable(on);
    on.surface.onDeliver = async () => {
      const inbox = on.mail.mailbox('agent@test');
      await inbox.archive((await inbox.list()).messages.map((message) => message.message_ref));
    };
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.outcome).toBe('enqueued');
    const { enqueued_request_id } = (await decisions(on))[0];
    const view = (await on.call('GET', `/v1/requests/${enqueued_request_id}?wait`)).body;
    expect(view).toMatchObject({ state: 'failed', outcome: 'superseded' });
    expect(wakes(on)).toBe(0);
  });

  it('a queued wake is not typed after wakes are turned off', async () => {
    const on = await testGateway(ending);
    await enable(on);
    on.surface.onDeliver = async () => void (await on.call('DELETE', '/v1/mail-notifier'));
    await sendMail(on);
    await expect.poll(async () => (await decisions(on))[0]?.outcome).toBe('enqueued');
    const { enqueued_request_id } = (await decisions(on))[0];
    const view = (await on.call('GET', `/v1/requests/${enqueued_request_id}?wait`)).body;
    expect(view).toMatchObject({
      outcome: 'superseded',
      error_detail: 'wakes were turned off before it was typed',
    });
    expect(wakes(on)).toBe(0);
  });

  it('a wake beyond loopback names commands that reach the mail, and no address that refuses it', async () => {
    const token = 'a token of enough characters';
    const on = await testGateway(ending, { config: { host: '0.0.0.0', token } });
    const bearer = { authorization: `Bearer ${token}` };
    const enabled = await on.call('PUT', '/v1/mail-notifier', HOUR, bearer);
    expect(enabled.body).toMatchObject({ supported: true, support_error: null });
    expect((await on.call('POST', '/v1/mail/list', {}, bearer)).status).toBe(503);
    await sendMail(on);
    await expect.poll(() => wakes(on)).toBe(1);
    const [text] = on.surface.submitted;
    expect(text).toMatch(/^- rouse agents mail list --read-state any --answered-state any --not-archived$/m);
    expect(text).toMatch(/^- rouse agents mail archive --message-ref REF$/m);
    expect(text).not.toMatch(/http:|\/v1\/mail/);
  });

  it('a wake has the packaged text when the own one cannot be used, and the status says so', async () => {
    const problem = 'x.md has no visible text; wakes use the packaged text instead';
    const on = await testGateway(ending, {
      config: { wakeTemplate: () => ({ text: 'packaged words', problem }) },
    });
    await enable(on);
    expect((await status(on)).last_error).toBe(problem);
    await sendMail(on);
    await expect.poll(() => wakes(on)).toBe(1);
    expect(on.surface.submitted).toEqual(['packaged words']);
    const [decision] = await decisions(on);
    expect(decision.chain).toContain(`prompt: ${problem}`);
    expect(decideWake(decision.facts as WakeFacts).chain).toEqual(decision.chain);
  });

  it('the status of the notifier has the error of its loop, until it recovers', async () => {
    let broken = true;
    const on = await testGateway(ending, {
      config: {
        wakeTemplate: () => {
          if (broken) throw new Error('the installation is gone');
          return { text: 'back', problem: null };
        },
      },
    });
    await enable(on);
    await sendMail(on);
    await expect
      .poll(async () => (await status(on)).last_error)
      .toBe('the notifier fails: the installation is gone');
    const { next_look_at_utc } = await status(on);
    expect(Date.parse(next_look_at_utc)).toBeGreaterThan(Date.now() - 1000);
    broken = false;
    await expect.poll(() => wakes(on), { timeout: 5000 }).toBe(1);
    await expect.poll(async () => (await status(on)).last_error).toBeNull();
  });

  it('the notifier keeps its settings over a restart and wakes for mail that came in between', async () => {
    const before = await testGateway(ending);
    await enable(before);
    await before.gateway.stop('restart');
    await sendMail(before);
    const after = await testGateway(ending, { root: before.root, mail: before.mail });
    await expect.poll(() => wakes(after)).toBe(1);
  });

  it('the notifier reports an unreadable mailbox and recovers by itself', async () => {
    let broken = true;
    const mail = (await testGateway(ending)).mail;
    const on = await testGateway(ending, {
      mail,
      config: {
        openMailbox: async () => {
          if (broken) throw new Error('disk on fire');
          return { mailbox: mail.mailbox('agent@test'), close: async () => {} };
        },
      },
    });
    broken = false;
    await enable(on, { interval_seconds: 1 });
    broken = true;
    await sendMail(on);
    broken = false;
    await expect.poll(() => wakes(on), { timeout: 10_000 }).toBeGreaterThan(0);
    expect((await status(on)).enabled).toBe(true);
  });

  it('wakes stop once the mail is archived, and in unread_only once it is read', async () => {
    const on = await testGateway(ending);
    await enable(on, { interval_seconds: 1, mode: 'unread_only' });
    const { message } = await sendMail(on);
    await expect.poll(() => wakes(on)).toBe(1);
    await on.mail.mailbox('agent@test').read(message.message_ref);
    await expect.poll(async () => (await decisions(on))[0]?.outcome, { timeout: 5000 }).toBe('empty');
  });
});

describe('any recorded decision', () => {
  it('a recorded decision comes out the same when it is repeated from its stored facts', async () => {
    const on = await testGateway(ending, {
      prepare: (s) => s.show({ ready: false, reasons: ["dialog='permission'"] }),
    });
    await enable(on, { interval_seconds: 1, repeat: 'backoff', wakes_per_hour: 3 });
    await sendMail(on);
    await expect.poll(async () => (await decisions(on)).length).toBeGreaterThan(0);
    on.surface.show({ ready: true, reasons: [] });
    await expect.poll(() => wakes(on)).toBe(1);
    for (const decision of await decisions(on)) {
      const again = decideWake(decision.facts as WakeFacts);
      expect([again.outcome, again.detail, again.chain]).toEqual([
        decision.outcome,
        decision.detail,
        decision.chain,
      ]);
    }
  });
});
