import { longScene } from './stage.ts';
import { play } from './support.ts';

longScene('gateway', async (stage) => {
  const ana = await play(stage, 'ana', ['--gateway-auto-attach', '--gateway-background']);
  const gateway = (line: string, ...more: string[]): string[] => [
    ...['agents', 'gateway', ...line.split(' ')],
    ...ana.words,
    ...more,
  ];
  await ana.ready();
  await stage.show(gateway('tui state'));

  // Requests.
  const done = await stage.json(gateway('requests submit', '--prompt', 'first', '--wait'));
  const first = stage.call(done.request_id, 'first request');
  await ana.ready();
  await stage.run(gateway('requests submit', '--prompt', 'second', '--idempotency-key', 'k', '--wait'));
  await ana.ready();
  await stage.both(gateway('requests submit', '--prompt', 'second', '--idempotency-key', 'k'));
  await stage.both(gateway('requests submit', '--prompt', 'other', '--idempotency-key', 'k'));
  await stage.both(gateway('requests submit', '--prompt', ''));
  await ana.control.send('open-dialog', { kind: 'permission' });
  // A dialog that was just drawn is not stable yet, which is a second reason.
  await stage.until(async () => {
    const { not_ready_reasons: reasons } = await stage.look(gateway('tui state'));
    return String(reasons) === "dialog='permission'";
  });
  await stage.both(gateway('prompt', '--prompt', 'at once'));
  await stage.both(gateway('prompt', '--prompt', 'at once', '--force'));
  const held = await stage.json(
    gateway('requests submit', '--prompt', 'waits', '--priority', 'low', '--expires-in-seconds', '3600'),
  );
  const waiting = stage.call(held.request_id, 'waiting request');
  await stage.until(async () => {
    const { waiting_reason: reason } = await stage.look(gateway('requests get', '--request-id', waiting));
    return reason?.includes('dialog') && !reason.includes('stable');
  });
  await stage.show(gateway('requests list'));
  await stage.show(gateway('requests list', '--state', 'completed', '--limit', '1'));
  await stage.show(gateway('requests get', '--request-id', first));
  await stage.show(gateway('requests get', '--request-id', waiting));
  await stage.both(gateway('requests get', '--request-id', 'gwreq-20260416-091402Z-0a1b2c3d'));
  await stage.both(gateway('requests get', '--request-id', waiting, '--wait', '--timeout-seconds', '0.1'));
  await stage.run(gateway('requests cancel', '--request-id', waiting));
  await stage.both(gateway('requests cancel', '--request-id', waiting));
  await stage.both(gateway('requests cancel', '--request-id', first));
  for (const style of ['plain', 'json'])
    await stage.run(gateway('requests watch', '--request-id', first, `--print-${style}`));
  await stage.both(gateway('reconcile'));
  await stage.both(gateway('reconcile', '--keep', first));
  await ana.control.send('close-dialog', {});
  await ana.ready();

  // Immediately.
  // A ready state from before the answer was drawn does not count.
  const answered = (times: number) =>
    stage.until(async () => {
      const { probe_snapshot: seen, submit_ready: ready } = await stage.look(gateway('tui state'));
      return ready && seen.captured_text_excerpt.split('● Received').length > times;
    });
  await stage.run(gateway('prompt', '--prompt', 'third'));
  await answered(3);
  await stage.run(gateway('prompt', '--print-json'), { stdin: 'fourth' });
  await answered(4);
  await stage.both(gateway('prompt', '--prompt', 'x', '--model', 'm'));
  await stage.run(gateway('send-keys', '--sequence', 'abc<[C-u]>'));
  await stage.run(gateway('send-keys', '--sequence', '<[Escape]>', '--print-json'));
  await stage.both(gateway('send-keys', '--sequence', '<[F99]>'));
  await stage.run(gateway('interrupt', '--wait'));
  await stage.run(gateway('tui note-prompt', '--prompt', 'typed by hand'));
  await stage.run(gateway('tui history', '--limit', '1'));
  await stage.run(gateway('tui watch', '--interval-seconds', '0.1'), {
    endWhen: (text) => text.includes('\n'),
  });
});

longScene('wakes', async (stage) => {
  const ana = await play(stage, 'ana', ['--gateway-auto-attach', '--gateway-background']);
  const gateway = (line: string, ...more: string[]): string[] => [
    ...['agents', 'gateway', ...line.split(' ')],
    ...ana.words,
    ...more,
  ];
  await ana.ready();
  await stage.show(['why', ...ana.words]);
  await stage.show(gateway('mail-notifier status'));
  await stage.both(gateway('mail-notifier enable', '--interval-seconds', '0'));
  await stage.both(gateway('mail-notifier enable', '--interval-seconds', '60', '--quiet-hours', 'never'));
  await stage.run(
    gateway(
      'mail-notifier enable',
      '--interval-seconds',
      '3600',
      '--repeat',
      'on_change',
      '--mode',
      'unread_only',
      '--wakes-per-hour',
      '5',
      '--quiet-hours',
      '03:00-03:01',
      '--time-zone',
      'Europe/Zurich',
      '--print-json',
    ),
  );
  const cleared = ['--quiet-hours', 'none', '--wakes-per-hour', 'none'];
  const onChange = ['--interval-seconds', '3600', '--repeat', 'on_change'];
  await stage.run(gateway('mail-notifier enable', ...onChange, ...cleared));
  const posted = await stage.look([
    'agents',
    'mail',
    'post',
    ...ana.words,
    '--subject',
    'work',
    '--body-content',
    'do it',
  ]);
  const ref = stage.call(posted.message.message_ref, 'work');
  const woken = await stage.until(async () => {
    const { requests = [] } = await stage.look(gateway('requests list', '--state', 'completed'));
    return requests[0];
  });
  const wake = stage.call(woken.request_id, 'wake');
  await ana.ready();
  await stage.until(
    async () => (await stage.look(['why', ...ana.words])).decisions?.[0]?.outcome !== 'waiting',
  );
  await stage.show(gateway('mail-notifier status'));
  await stage.show(['why', ...ana.words, '--message-ref', ref]);
  await stage.show(['why', ...ana.words, '--request', wake]);
  await stage.both(['why', ...ana.words, '--request', 'gwreq-20260416-091402Z-0a1b2c3d']);
  await stage.both(['why', ...ana.words, '--at', 'nonsense']);
  await stage.run(['why', ...ana.words, '--replay', '--limit', '1000']);
  await stage.run(gateway('mail-notifier disable'));
  await stage.run(gateway('mail-notifier disable', '--print-json'));

  // Reminders.
  await stage.show(gateway('reminders list'));
  const later = ['--mode', 'one_off', '--start-after-seconds', '90000'];
  const made = await stage.json(
    gateway('reminders create', '--title', 'Check inbox', '--prompt', 'Look.', '--ranking', '0', ...later),
  );
  const id = stage.call(made.reminders[0].reminder_id, 'reminder');
  await stage.run(
    gateway(
      'reminders create',
      '--title',
      'Stand-up',
      '--mode',
      'repeat',
      '--prompt',
      'Report.',
      '--after-all',
      '--cron',
      '0 9 * * 1-5',
      '--time-zone',
      'Europe/Zurich',
      '--durable',
      '--missed',
      'once',
    ),
  );
  await stage.run(
    gateway(
      'reminders create',
      '--title',
      'Keys',
      '--sequence',
      '<[Escape]>',
      '--no-ensure-enter',
      '--before-all',
      '--paused',
      ...later,
    ),
  );
  await stage.both(
    gateway('reminders create', '--title', 'x', '--prompt', 'x', '--ranking', '0', '--mode', 'one_off'),
  );
  await stage.both(gateway('reminders create', '--title', 'x', '--ranking', '0', ...later));
  await stage.both(
    gateway(
      'reminders create',
      '--title',
      'x',
      '--prompt',
      'x',
      '--after-all',
      '--mode',
      'repeat',
      '--cron',
      'nonsense',
    ),
  );
  await stage.show(gateway('reminders list'));
  await stage.show(gateway('reminders get', '--reminder-id', id));
  await stage.both(gateway('reminders get', '--reminder-id', 'greminder-0a1b2c3d4e5f'));
  await stage.run(gateway('reminders set', '--reminder-id', id, '--paused', '--title', 'Changed'));
  await stage.run(
    gateway('reminders set', '--reminder-id', id, '--no-paused', '--before-all', '--print-json'),
  );
  await stage.both(gateway('reminders set', '--reminder-id', id, '--cron', '0 9 * * *'));
  await stage.show(['why', ...ana.words, '--reminder-id', id]);
  await stage.run(gateway('reminders remove', '--reminder-id', id));
  await stage.both(gateway('reminders remove', '--reminder-id', id));
});
