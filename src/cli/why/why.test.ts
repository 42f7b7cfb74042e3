import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type CliAgent, cliAgent } from '../../../test/support/cli-agent.ts';
import { Ending } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../gateway/queue-file.ts';
import type { TestGateway } from '../../gateway/testing.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const why = (...words: string[]): string[] => ['why', '--agent-name', 'gpu', ...words];

/** An agent that was once woken, and once not because of a dialog. */
async function decided(): Promise<{ agent: CliAgent; on: TestGateway; first: string; second: string }> {
  const agent = await cliAgent(ending);
  const on = await agent.attach();
  await agent.json([
    'agents',
    'gateway',
    'mail-notifier',
    'enable',
    '--agent-name',
    'gpu',
    '--interval-seconds',
    '600',
  ]);
  const outcomes = async () =>
    (await agent.json(why())).decisions.map((each: { outcome: string }) => each.outcome);
  const first = await agent.mail('one');
  await expect.poll(outcomes, { timeout: 5000 }).toContain('enqueued');
  await expect.poll(() => on.surface.submitted.length, { timeout: 5000 }).toBe(1);
  on.surface.show({ ready: false, reasons: ["dialog='permission'"] });
  const second = await agent.mail('two');
  await expect.poll(async () => (await outcomes())[0], { timeout: 5000 }).toBe('busy_skip');
  return { agent, on, first, second };
}

describe('why', () => {
  it('why shows each decision with its facts, the outcome of a wake, and the time of the next check', async () => {
    const { agent } = await decided();
    const { code, out } = await agent.rouse(why());
    expect(code).toBe(0);
    expect(out).toMatch(/Held back now: a dialog is open: permission \(dialog='permission'\)/);
    expect(out).toMatch(/Next check: in /);
    expect(out).toMatch(
      /\d\d:\d\d:\d\d {2}not woken: a dialog is open: permission \(dialog='permission'\)\n.*mail: 2 eligible/,
    );
    expect(out).toMatch(/checked again when the agent becomes ready/);
    expect(out).toMatch(/woken for 1 open message: request gwreq-\S+ was submitted after/);
    expect(out.indexOf('not woken')).toBeLessThan(out.indexOf('woken for 1 open'));
  });

  it('why shows a run of equal decisions once, and counts it once for the limit', async () => {
    const { agent, on } = await decided();
    await on.gateway.stop('test');
    const db = openSqlite({
      file: path.join(agent.sessionRoot, 'gateway', 'queue.sqlite'),
      migrations: QUEUE_FILE_MIGRATIONS,
    });
    const columns = `poll_time_utc, unread_count, unread_digest, unread_summary_json, request_admission,
      active_execution, queue_depth, outcome, enqueued_request_id, detail, facts_json, chain_json`;
    for (let i = 0; i < 20; i++)
      db.run(`INSERT INTO gateway_notifier_audit (${columns}) SELECT ${columns} FROM gateway_notifier_audit
        WHERE outcome = 'busy_skip' ORDER BY audit_id DESC LIMIT 1`);
    db.close();
    const { out } = await agent.rouse(why('--limit', '2'));
    expect(out).toMatch(/the same \d\d times before/);
    expect(out).toMatch(/woken for 1 open message/);
    expect((await agent.json(why('--limit', '2'))).decisions).toHaveLength(2);
  });

  it('why --at before the first decision says that no decision from then is kept', async () => {
    const { agent } = await decided();
    expect((await agent.rouse(why('--at', '2020-01-01'))).out).toMatch(/No decision up to 2020-01-01 23:59/);
  });

  it('why counts one decision as one', async () => {
    const { agent } = await decided();
    expect((await agent.rouse(why('--limit', '1', '--replay'))).out).toMatch(
      /Replay: 1 decision made again from its facts, it is the same/,
    );
  });

  it('why does not claim that nothing was typed for an interrupted headless turn', async () => {
    const agent = await cliAgent(ending);
    (await agent.attach()).surface.outcomes = ['cancelled'];
    const submit = ['agents', 'gateway', 'requests', 'submit', '--agent-name', 'gpu', '--wait'];
    const interrupted = await agent.rouse([...submit, '--prompt', 'x', '--print-json']);
    expect(interrupted.code).toBe(4);
    const { request_id } = JSON.parse(interrupted.out);
    const { out } = await agent.rouse(why('--request', request_id));
    expect(out).toMatch(/its turn was interrupted/);
    expect(out).not.toMatch(/nothing was typed/);
  });

  it('why shows the same without a live gateway, from its files', async () => {
    const { agent, on } = await decided();
    const live = (await agent.json(why())).decisions;
    await on.gateway.stop('test');
    const dead = await agent.json(why());
    expect(dead.gateway).toBe('offline');
    expect(dead.decisions).toEqual(live);
    expect((await agent.rouse(why())).out).toMatch(/No live gateway/);
  });

  it('why works for a stopped agent, and reports an unknown one', async () => {
    const { agent, on } = await decided();
    const live = (await agent.json(why())).decisions;
    await on.gateway.stop('test');
    fs.rmSync(path.join(agent.home, 'registry'), { recursive: true });
    expect((await agent.json(why())).decisions).toEqual(live);
    expect((await agent.rouse(why())).out).toMatch(/the agent was stopped/);
    const unknown = await agent.rouse(['why', '--agent-name', 'gpv']);
    expect([unknown.code, unknown.err]).toEqual([
      3,
      expect.stringMatching(/there is no agent with name "gpv"/),
    ]);
  });

  it('why --message-ref names the announcing request, and --at shows the decisions until then', async () => {
    const { agent, first, second } = await decided();
    const about = await agent.json(why('--message-ref', first));
    expect(about.message.announced_by).toMatch(/^gwreq-/);
    expect(about.decisions.at(-1)).toMatchObject({ outcome: 'enqueued', request: { outcome: 'submitted' } });
    const later = await agent.json(why('--message-ref', second));
    expect(later.decisions.map((each: { outcome: string }) => each.outcome)).not.toContain('enqueued');
    const wake = about.decisions.at(-1).poll_time_utc;
    expect((await agent.json(why('--at', wake))).decisions[0].outcome).toBe('enqueued');
    expect((await agent.json(why('--at', '2020-01-01'))).decisions).toEqual([]);
  });

  it('why --message-ref shows decisions that counted a message without naming it', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.show({ ready: false, reasons: ["phase='active'"] }));
    const enable = ['agents', 'gateway', 'mail-notifier', 'enable', '--agent-name', 'gpu'];
    await agent.json([...enable, '--interval-seconds', '600']);
    const refs: string[] = [];
    for (let n = 0; n < 13; n++) refs.push(await agent.mail(`mail ${n}`));
    const counts = async (ref: string) =>
      (await agent.json(why('--message-ref', ref, '--limit', '100'))).decisions.map(
        (each: { unread_count: number }) => each.unread_count,
      );
    await expect.poll(async () => (await counts(refs[0]!))[0], { timeout: 5000 }).toBe(13);
    const between = await agent.json(why('--message-ref', refs[11]!));
    expect(between.decisions[0]).toMatchObject({
      outcome: 'busy_skip',
      unread_count: 13,
      names_message: false,
    });
    const { out } = await agent.rouse(why('--message-ref', refs[11]!));
    expect(out).toMatch(
      /This one is in between\. Where it is not\n {2}named, it was counted with the others/,
    );
    expect(out).toMatch(/not woken: it is working on a turn/);
    for (const ref of [refs[0]!, refs[12]!]) {
      const [newest] = (await agent.json(why('--message-ref', ref))).decisions;
      expect(newest).toMatchObject({ unread_count: 13, names_message: true });
    }
    expect((await agent.rouse(why('--message-ref', refs[0]!))).out).not.toMatch(/between/);
  });

  it('why names what the agent is working on when it is busy', async () => {
    const { agent, on } = await decided();
    on.surface.show({ ready: false, reasons: ["phase='active'"] });
    await agent.mail('three');
    await expect
      .poll(async () => (await agent.rouse(why('--limit', '1'))).out, { timeout: 5000 })
      .toMatch(/turn: the agent was last given to the wake for mail gwreq-\S+, at 20/);
  });

  it('why names the command that turns wakes on with their former settings, and it works', async () => {
    const { agent } = await decided();
    const enabled = ['--interval-seconds', '90', '--mode', 'unread_only', '--repeat', 'backoff'];
    const notifier = ['agents', 'gateway', 'mail-notifier'];
    const wakes = ['--agent-name', 'gpu', ...enabled, '--wakes-per-hour', '30'];
    const before = await agent.json([...notifier, 'enable', ...wakes]);
    await agent.rouse([...notifier, 'disable', '--agent-name', 'gpu']);
    const [, command] = /wakes are off; "rouse ([^"]+)" turns them on/.exec((await agent.rouse(why())).out)!;
    expect(await agent.json(command!.split(' '))).toMatchObject({
      interval_seconds: 90,
      mode: 'unread_only',
      repeat: 'backoff',
      wakes_per_hour: 30,
      quiet_hours: before.quiet_hours,
    });
    const none = ['--interval-seconds', '90', '--wakes-per-hour', 'none', '--quiet-hours', 'none'];
    expect(await agent.json([...notifier, 'enable', '--agent-name', 'gpu', ...none])).toMatchObject({
      wakes_per_hour: null,
      quiet_hours: null,
      repeat: 'backoff',
    });
  });

  it('why does not say that the agent is woken when no gateway runs', async () => {
    const { agent, on } = await decided();
    await on.gateway.stop('test');
    expect((await agent.rouse(why())).out).toMatch(
      /^Agent gpu: not woken now; set to be woken for all open mail;/,
    );
  });

  it('why --replay repeats every decision from its facts, and exits with 1 when one differs', async () => {
    const { agent, on } = await decided();
    expect((await agent.json(why('--replay'))).replay).toMatchObject({ different: [] });
    await on.gateway.stop('test');
    const db = openSqlite({
      file: path.join(agent.sessionRoot, 'gateway', 'queue.sqlite'),
      migrations: QUEUE_FILE_MIGRATIONS,
    });
    db.run("UPDATE gateway_notifier_audit SET outcome = 'empty' WHERE outcome = 'enqueued'");
    db.close();
    const { code, out } = await agent.rouse(why('--replay'));
    expect([code, out]).toEqual([1, expect.stringMatching(/1 of \d+ decisions come out differently/)]);
  });

  it('why --request explains one request', async () => {
    const { agent } = await decided();
    const { decisions } = await agent.json(why());
    const id = decisions.find((each: { request: unknown }) => each.request).enqueued_request_id;
    const { out } = await agent.rouse(why('--request', id));
    expect(out).toMatch(/submitted +fake/);
    expect(out).toMatch(/It was accepted to wake the agent for mail, as decided at/);
    expect((await agent.rouse(why('--request', 'gwreq-unknown'))).code).toBe(3);
  });

  it.each<[string[], RegExp, number]>([
    [['--at', 'noon'], /ISO-8601/, 2],
    [['--at', '25:00'], /09:14/, 2],
    [['--limit', '0'], /from 1 to/, 2],
    [[], /its tmux session is gone; "rouse agents relaunch gpu --resume" makes it again/, 7],
  ])('refuses %j', async (words, message, exit) => {
    const { code, err } = await (await cliAgent(ending)).rouse(why(...words));
    expect(err).toMatch(message);
    expect(code).toBe(exit);
  });
});
