import * as fs from 'node:fs';
import { longScene, type Stage } from './stage.ts';
import { play } from './support.ts';

async function everyAgentsMailCommand(stage: Stage, of: string[]): Promise<void> {
  const mail = (line: string, ...more: string[]): string[] => [
    'agents',
    'mail',
    ...line.split(' '),
    ...of,
    ...more,
  ];
  await stage.show(mail('resolve-live'));
  await stage.show(mail('status'));
  await stage.show(mail('list'));
  await stage.run(mail('send', '--to', 'ben@houmao.localhost', '--subject', 'hi', '--body-content', 'hello'));
  await stage.run(
    mail(
      'send',
      '--to',
      'ben@houmao.localhost',
      '--subject',
      'two',
      '--idempotency-key',
      'k',
      '--print-json',
    ),
    { stdin: 'hello' },
  );
  await stage.both(
    mail('send', '--to', 'ben@houmao.localhost', '--subject', 'two', '--idempotency-key', 'k'),
    { stdin: 'other' },
  );
  await stage.both(mail('send', '--to', 'nobody@nowhere', '--subject', 'x', '--body-content', 'x'));
  await stage.both(mail('send', '--to', 'no address', '--subject', 'x', '--body-content', 'x'));
  await stage.both(
    mail('send', '--to', 'ben@houmao.localhost', '--subject', 'two\nlines', '--body-content', 'x'),
  );
  await stage.both(
    mail('send', '--to', 'ben@houmao.localhost', '--subject', 'x', '--attach', stage.at('missing')),
    { stdin: 'x' },
  );
  fs.writeFileSync(stage.at('report.txt'), 'all green\n');
  await stage.run(
    mail(
      'send',
      '--to',
      'ben@houmao.localhost',
      '--subject',
      'file',
      '--attach',
      stage.at('report.txt'),
      '--print-json',
    ),
    { stdin: 'x' },
  );
  const posted = await stage.json(
    mail('post', '--subject', 'before you go on', '--body-content', 'the build is red'),
  );
  const note = stage.call(posted.message.message_ref, 'note');
  await stage.run(mail('post', '--subject', 'no reply', '--reply-policy', 'none', '--body-content', 'x'));
  await stage.show(mail('list'));
  await stage.show(mail('list --box sent --limit 1'));
  await stage.run(mail('list --include-body --print-json'));
  await stage.both(mail('list --cursor nonsense'));
  await stage.both(mail('list --box archive --not-archived'));
  await stage.show(mail('peek', '--message-ref', note));
  await stage.both(mail('peek', '--message-ref', note, '--box', 'sent'));
  await stage.run(mail('read', '--message-ref', note));
  await stage.both(mail('read', '--message-ref', 'nonsense'));
  await stage.show(mail('search build'));
  await stage.show(mail('search nothing-like-it'));
  await stage.run(mail('reply', '--message-ref', note, '--body-content', 'done'));
  await stage.run(mail('reply', '--message-ref', note, '--body-content', 'again', '--print-json'));
  await stage.run(mail('mark', '--message-ref', note, '--unread'));
  await stage.run(mail('mark', '--message-ref', note, '--read', '--print-json'));
  await stage.both(mail('mark', '--message-ref', note));
  await stage.run(mail('move', '--message-ref', note, '--destination-box', 'later'));
  await stage.both(mail('move', '--message-ref', note, '--destination-box', 'a/b'));
  await stage.show(mail('list --box later'));
  await stage.run(mail('archive', '--message-ref', note));
  await stage.both(mail('archive', '--message-ref', 'nonsense'));
  await stage.show(mail('list --archived'));
  await stage.show(mail('status'));
}

longScene('agents-mail', async (stage) => {
  const ana = await play(stage, 'ana');
  await stage.quietly(['mailbox', 'register', '--address', 'ben@houmao.localhost']);
  await everyAgentsMailCommand(stage, ana.words);
  await stage.show(['agents', 'mailbox', 'status', ...ana.words]);
  await stage.both(['agents', 'mailbox', 'register', ...ana.words, '--address', 'ben@houmao.localhost']);
  await stage.run(['agents', 'mailbox', 'unregister', ...ana.words]);
  await stage.both(['agents', 'mailbox', 'unregister', ...ana.words]);
  await stage.show(['agents', 'mailbox', 'status', ...ana.words]);
  await stage.both(['agents', 'mail', 'list', ...ana.words]);
  await stage.run(['agents', 'mailbox', 'register', ...ana.words]);
  fs.mkdirSync(stage.at('work/app/.agent'), { recursive: true });
  await stage.run([
    'agents',
    'mailbox',
    'register',
    ...ana.words,
    '--mailbox-root',
    stage.at('work/app/.agent/inbox.md'),
    '--address',
    'totebox@app',
    '--print-json',
  ]);
  await stage.show(['agents', 'mail', 'status', ...ana.words]);
  ana.control.close();
});

longScene('agents-mail-gateway', async (stage) => {
  const ana = await play(stage, 'ana', ['--gateway-auto-attach', '--gateway-background']);
  await stage.quietly(['mailbox', 'register', '--address', 'ben@houmao.localhost']);
  await everyAgentsMailCommand(stage, ana.words);
  ana.control.close();
});
