import { afterEach, describe, expect, it } from 'vitest';
import { type CliAgent, cliAgent } from '../../../test/support/cli-agent.ts';
import { Ending } from '../../base/index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const BUSY = { ready: false, reasons: ["dialog='permission'"] };
const READY = { ready: true, reasons: [] };
const gateway = (...words: string[]): string[] => ['agents', 'gateway', ...words, '--agent-name', 'gpu'];
const requests = (...words: string[]): string[] => gateway('requests', ...words);
const reminders = (...words: string[]): string[] => gateway('reminders', ...words);
const REMINDER = ['--title', 't', '--mode', 'one_off', '--prompt', 'p', '--start-after-seconds', '900'];

async function firstReminder(agent: CliAgent, ...flags: string[]) {
  return (await agent.json(reminders('create', ...REMINDER, ...flags))).reminders[0];
}

describe('without a live gateway, since its tmux session is gone', () => {
  it.each([
    [gateway('prompt', '--prompt', 'x')],
    [gateway('interrupt')],
    [requests('list')],
    [reminders('list')],
    [gateway('mail-notifier', 'status')],
    [gateway('tui', 'state')],
    [gateway('reconcile')],
  ])('%j says what brings it back, and exits with 7', async (args) => {
    const agent = await cliAgent(ending);
    const { code, out, err } = await agent.rouse(args);
    expect([code, out]).toEqual([7, '']);
    expect(err).toMatch(
      /no live gateway for agent gpu: its tmux session is gone; "rouse agents relaunch gpu --resume"/,
    );
  });
});

describe('bad input', () => {
  it.each<[string[], RegExp, number]>([
    [gateway('prompt', '--prompt', '  '), /--prompt must not be blank/, 2],
    [gateway('prompt'), /there is no prompt/, 2],
    [gateway('prompt', '--prompt', 'x', '--force', '--admission-policy', 'always'), /exclude each other/, 2],
    [
      gateway('prompt', '--prompt', 'x', '--admission-policy', 'soon'),
      /ready-only, if-no-pending, always/,
      2,
    ],
    [gateway('prompt', '--prompt', 'x', '--reasoning-level', '-1'), /whole number ≥ 0/, 2],
    [gateway('send-keys', '--sequence', '<[escape]>'), /unknown key token "<\[escape\]>"/, 2],
    [gateway('send-keys', '--sequence', 'hello<[Enter]>bad\u001bx'), /control character U\+001B/, 2],
    [gateway('send-keys'), /--sequence/, 2],
    [requests('get', '--request-id', 'gwreq-unknown'), /no request gwreq-unknown/, 3],
    [requests('cancel', '--request-id', 'gwreq-unknown'), /no request gwreq-unknown/, 3],
    [requests('list', '--limit', '0'), /from 1 to 1000/, 2],
    [requests('submit', '--prompt', 'x', '--expires-in-seconds', '-3'), /seconds > 0/, 2],
    [gateway('reconcile', '--keep', 'a', '--discard', 'a'), /kept and discarded/, 2],
    [gateway('reconcile', '--keep-all', '--discard', 'a'), /cannot be combined/, 2],
    [gateway('reconcile', '--keep', 'a'), /request a does not wait for reconciliation/, 3],
    [gateway('mail-notifier', 'enable'), /--interval-seconds/, 2],
    [
      gateway('mail-notifier', 'enable', '--interval-seconds', '5', '--quiet-hours', '22-7'),
      /22:00-07:00/,
      2,
    ],
    [gateway('mail-notifier', 'enable', '--interval-seconds', '5', '--time-zone', 'UTC'), /--quiet-hours/, 2],
    [reminders('create', ...REMINDER), /exactly one of --ranking, --before-all or --after-all/, 2],
    [reminders('create', ...REMINDER, '--ranking', '1', '--after-all'), /at most one of --ranking/, 2],
    [reminders('create', ...REMINDER, '--ranking', '1', '--sequence', 'x'), /exclude each other/, 2],
    [reminders('create', ...REMINDER, '--ranking', '1', '--ensure-enter'), /--ensure-enter goes with/, 2],
    [reminders('create', ...REMINDER, '--ranking', '1.5'), /whole number, positive or negative/, 2],
    [reminders('create', ...REMINDER, '--ranking', '9007199254740993'), /between -9007199254740991 and/, 2],
    [
      reminders('create', ...REMINDER, '--ranking', '1', '--interval-seconds', '5'),
      /one_off reminders must not/,
      2,
    ],
    [
      reminders('create', ...REMINDER, '--ranking', '1', '--deliver-at-utc', '2030-01-01'),
      /exactly one of start_after/,
      2,
    ],
    [reminders('create', ...REMINDER, '--ranking', '1', '--durable'), /durable reminders need missed/, 2],
    [reminders('set', '--reminder-id', 'greminder-unknown', '--paused'), /no reminder greminder-unknown/, 3],
    [reminders('remove', '--reminder-id', 'greminder-unknown'), /no reminder greminder-unknown/, 3],
  ])('%j is refused with what is allowed, and changes nothing', async (args, message, exit) => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    const { code, out, err } = await agent.rouse(args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([exit, '']);
    expect([on.surface.submitted, on.surface.keys]).toEqual([[], []]);
    expect((await agent.json(requests('list'))).requests).toEqual([]);
    expect((await agent.json(reminders('list'))).reminders).toEqual([]);
    expect(await agent.json(gateway('mail-notifier', 'status'))).toMatchObject({ enabled: false });
  });
});

describe('prompt', () => {
  it('a prompt is submitted with proof: a flag is trimmed, standard input is kept as it is', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    expect(await agent.json(gateway('prompt', '--prompt', '  hi  '))).toMatchObject({
      sent: true,
      forced: false,
    });
    expect(
      (await agent.rouse(gateway('prompt', '--admission-policy', 'always'), { stdin: ' a\nb \n' })).code,
    ).toBe(0);
    expect(on.surface.submitted).toEqual(['hi', ' a\nb \n']);
  });

  it.each([
    [
      'the agent is not ready',
      BUSY,
      [],
      5,
      'not_ready',
      /^error: the prompt was not submitted: .*\n.*requests submit/,
    ],
    [
      'the agent is gone',
      { connectivity: 'unavailable', ready: false } as const,
      [],
      7,
      'unavailable',
      /^error: the prompt was not submitted: .*\n.*starts its tool again/,
    ],
    [
      'a TUI is asked for a model',
      READY,
      ['--model', 'opus'],
      2,
      'invalid_execution',
      /^error: the prompt was refused: a TUI agent takes no model override\n/,
    ],
  ])(
    'a prompt that is refused because %s reports it on stderr, with all facts for programs',
    async (_why, show, flags, exit, name, said) => {
      const agent = await cliAgent(ending);
      await agent.attach((surface) => surface.show(show));
      const words = gateway('prompt', '--prompt', 'x', ...flags);
      const json = await agent.rouse(['--print-json', ...words]);
      expect([json.code, json.out]).toEqual([exit, '']);
      expect(JSON.parse(json.err)).toMatchObject({ status: 'error', sent: false, error_code: name });
      const plain = await agent.rouse(words);
      expect([plain.code, plain.out]).toEqual([exit, '']);
      expect(plain.err).toMatch(said);
    },
  );

  it('a prompt without proof exits with 7 and names the request that has the evidence', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.outcomes.push('unconfirmed'));
    const { code, err } = await agent.rouse(gateway('prompt', '--prompt', 'lost?'));
    const [, outcome, request] = /^error: the prompt ended as (\w+): .*\n"rouse why --request (\S+)"/.exec(
      err,
    )!;
    expect([code, outcome]).toEqual([7, 'unconfirmed']);
    const why = await agent.rouse(['why', '--request', request!, '--agent-name', 'gpu']);
    expect(why.out).toMatch(/nothing proves that the tool took it/);
  });
});

describe('requests', () => {
  it('a request shows every stage with its source, and exits with the code of the outcome', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.outcomes.push('submitted', 'unconfirmed'));
    const done = await agent.rouse(requests('submit', '--prompt', 'one', '--wait'));
    expect(done.code).toBe(0);
    expect(done.out).toMatch(
      /accepted +http[\s\S]*typed +fake[\s\S]*submitted +fake[\s\S]*outcome=submitted/,
    );
    expect((await agent.rouse(requests('submit', '--prompt', 'two', '--wait'))).code).toBe(7);
  });

  it('a request that still waits at the timeout exits with 5 and the reason', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.show(BUSY));
    const line = requests('submit', '--prompt', 'later', '--wait', '--timeout-seconds', '0.2');
    const { code, out } = await agent.rouse(line);
    expect(code).toBe(5);
    expect(out).toMatch(/accepted, waits: dialog='permission'/);
  });

  it('requests with one key are one request, which can be cancelled while it waits', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.show(BUSY));
    const line = requests('submit', '--prompt', 'once', '--idempotency-key', 'k');
    const { request_id } = await agent.json(line);
    expect(await agent.json(line)).toMatchObject({ request_id, duplicate: true, state: 'accepted' });
    expect((await agent.rouse(requests('submit', '--prompt', 'x', '--idempotency-key', 'k'))).code).toBe(4);
    expect((await agent.rouse(requests('cancel', '--request-id', request_id))).code).toBe(0);
    const again = await agent.rouse(requests('cancel', '--request-id', request_id));
    expect([again.code, again.err]).toEqual([4, expect.stringContaining('has ended (cancelled)')]);
    expect((await agent.rouse(line)).out).toContain(`${request_id}, now failed (cancelled).`);
    expect((await agent.rouse(requests('get', '--request-id', request_id, '--wait'))).code).toBe(4);
  });

  it('a request can be watched from beginning to end, one JSON object per line', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach((surface) => surface.show(BUSY));
    const { request_id } = await agent.json(requests('submit', '--prompt', 'seen'));
    const watching = agent.rouse([...requests('watch', '--request-id', request_id), '--print-json'], {
      onOut: (text) => text.includes('"accepted"') && on.surface.show(READY),
    });
    const { code, out } = await watching;
    const stages = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).stage);
    expect([code, stages]).toEqual([0, ['accepted', 'running', 'typing', 'typed', 'submitted', 'finished']]);
  });

  it('watching an ended request prints its whole ledger, also after a given event', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    const { request_id } = await agent.json(requests('submit', '--prompt', 'seen', '--wait'));
    const watch = (...flags: string[]) =>
      agent.rouse(requests('watch', '--request-id', request_id, ...flags));
    expect(await watch()).toMatchObject({ code: 0, out: expect.stringMatching(/finished[^\n]*\n$/) });
    await on.surface.reportStage('turn_finished');
    expect(await watch()).toMatchObject({ code: 0, out: expect.stringMatching(/turn_finished +fake\n$/) });
    expect(await watch('--after', '999')).toMatchObject({ code: 0, out: '' });
  });

  it('an interrupt shows the keys that were pressed and the screen they went into', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    const facts = { keys: ['Escape'], presses: 1, into_dialog: 'permission', still_busy: false };
    on.surface.interrupted = [{ source: 'keys', atUtc: '2026-01-01T00:00:00.000Z', facts }];
    const { out } = await agent.rouse(gateway('interrupt', '--wait'));
    expect(out).toMatch(/result +keys: keys=Escape {2}presses=1 {2}into_dialog=permission {2}still_busy=no/);
  });

  it('requests of an earlier agent process are shown, kept and discarded', async () => {
    const agent = await cliAgent(ending);
    const before = await agent.attach((surface) => surface.show(BUSY));
    const [keep, drop] = [
      await agent.json(requests('submit', '--prompt', 'keep me')),
      await agent.json(requests('submit', '--prompt', 'drop me')),
    ];
    await before.gateway.stop('test');
    const after = await agent.attach((surface) => surface.show({ instanceId: 'fake-2' }));
    expect((await agent.rouse(requests('submit', '--prompt', 'new'))).code).toBe(4);
    const shown = await agent.rouse(gateway('reconcile'));
    expect(shown.out).toMatch(
      /2 requests were accepted for an earlier agent process[\s\S]*keep me[\s\S]*drop me/,
    );
    await agent.json(gateway('reconcile', '--keep', keep.request_id));
    expect((await agent.rouse(gateway('reconcile'))).out).toMatch(/^1 request was accepted for an earlier/);
    expect((await agent.rouse(gateway('reconcile', '--discard-all'))).out).toMatch(
      /1 discarded. Requests are open/,
    );
    await agent.json(requests('get', '--request-id', keep.request_id, '--wait'));
    expect(after.surface.submitted).toEqual(['keep me']);
    expect(drop.request_id).not.toBe(keep.request_id);
  });
});

describe('reminders', () => {
  it('reminders are ranked before and after all others, and the table shows what blocks what', async () => {
    const agent = await cliAgent(ending);
    await agent.attach();
    const first = await firstReminder(agent, '--before-all');
    const last = await firstReminder(agent, '--after-all');
    const lead = await firstReminder(agent, '--before-all', '--paused');
    expect([first.ranking, last.ranking, lead.ranking]).toEqual([0, 1, -1]);
    const { out } = await agent.rouse(reminders('list'));
    expect(out).toContain(`→  ${lead.reminder_id}`);
    expect(out).toContain(`blocked by ${lead.reminder_id}`);
    expect(out).toMatch(/2 reminders wait behind .*, which is paused/);
    const moved = await agent.json(reminders('set', '--reminder-id', lead.reminder_id, '--after-all'));
    expect(moved).toMatchObject({ ranking: 2, paused: true, selection_state: 'blocked' });
  });

  it('a due reminder shows in words what it waits for, in the list and alone', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.show(BUSY));
    const words = ['--title', 't', '--mode', 'one_off', '--prompt', 'p', '--ranking', '1'];
    const { reminder_id } = (await agent.json(reminders('create', ...words, '--start-after-seconds', '0.01')))
      .reminders[0];
    await expect
      .poll(async () => (await agent.rouse(reminders('list'))).out)
      .toMatch(
        /is next, which is due and waits: a dialog is open: permission \(dialog='permission'\), since \d{4}-/,
      );
    const { out } = await agent.rouse(reminders('get', '--reminder-id', reminder_id));
    expect(out).toMatch(/waits +a dialog is open: permission \(dialog='permission'\), since \d{4}-/);
  });

  it('control characters in the title of a reminder do not reach the terminal', async () => {
    const agent = await cliAgent(ending);
    await agent.attach();
    await firstReminder(agent, '--ranking', '1');
    await agent.json(reminders('create', ...REMINDER.with(1, '\u001b[2Jboo'), '--ranking', '0'));
    expect((await agent.rouse(reminders('list'))).out).not.toMatch(/\u001b/);
  });

  it('reminders set changes only what is given; without a time flag the due time stays', async () => {
    const agent = await cliAgent(ending);
    await agent.attach();
    const made = await firstReminder(agent, '--ranking', '-5');
    const id = ['--reminder-id', made.reminder_id];
    const changed = await agent.json(reminders('set', ...id, '--title', 'new'));
    expect(changed).toMatchObject({ title: 'new', prompt: 'p', ranking: -5 });
    expect(Date.parse(changed.next_due_at_utc) / 1000).toBeCloseTo(
      Date.parse(made.next_due_at_utc) / 1000,
      1,
    );
    const keys = await agent.json(reminders('set', ...id, '--sequence', '<[Escape]>', '--no-ensure-enter'));
    expect(keys).toMatchObject({ prompt: null, send_keys: { sequence: '<[Escape]>', ensure_enter: false } });
    const repeat = await agent.json(reminders('set', ...id, '--mode', 'repeat', '--interval-seconds', '60'));
    expect(repeat).toMatchObject({ mode: 'repeat', interval_seconds: 60 });
    const cron = await agent.json(
      reminders('set', ...id, '--cron', '0 9 * * *', '--time-zone', 'Europe/Zurich'),
    );
    expect(cron).toMatchObject({ cron: '0 9 * * *', time_zone: 'Europe/Zurich', interval_seconds: null });
    const once = await agent.json(reminders('set', ...id, '--mode', 'one_off', '--prompt', 'q'));
    expect(once).toMatchObject({
      mode: 'one_off',
      cron: null,
      prompt: 'q',
      next_due_at_utc: cron.next_due_at_utc,
    });
    const none = await agent.rouse(reminders('set', ...id));
    expect([none.code, none.err]).toEqual([2, expect.stringMatching(/nothing to change/)]);
    const enter = await agent.rouse(reminders('set', ...id, '--no-ensure-enter'));
    expect([enter.code, enter.err]).toEqual([2, expect.stringMatching(/--ensure-enter goes with/)]);
    expect((await agent.json(reminders('remove', ...id))).deleted).toBe(true);
  });
});

describe('watch', () => {
  it('tui watch ends cleanly with Ctrl-C', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) =>
      Object.assign(surface, { tui: { state: () => ({ turn: { phase: 'ready' } }), history: () => ({}) } }),
    );
    const stop = new AbortController();
    const { code, out } = await agent.rouse(gateway('tui', 'watch', '--interval-seconds', '0.01'), {
      signal: stop.signal,
      onOut: () => stop.abort(),
    });
    expect([code, out]).toEqual([0, '{"turn":{"phase":"ready"}}\n']);
  });
});
