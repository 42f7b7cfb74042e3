import * as fs from 'node:fs';
import { type Stage, scene } from './stage.ts';

const ANA = '--address ana@houmao.localhost';

async function lettersOf(stage: Stage, who: string): Promise<void> {
  await stage.show(`mail status ${who}`);
  await stage.show(`mail list ${who}`);
}

/** The same commands for every store; `who` is the mailbox, `friend` is the recipient. */
async function everyMailCommand(stage: Stage, who: string, friend: string, self: string): Promise<void> {
  const words = who.split(' ');
  await lettersOf(stage, who);
  const sent = await stage.json([
    'mail',
    'send',
    ...words,
    '--to',
    friend,
    '--subject',
    'first words',
    '--body-content',
    'hello there',
  ]);
  stage.call(sent.message.message_ref, 'first');
  await stage.run(
    [
      'mail',
      'send',
      ...words,
      '--to',
      friend,
      '--cc',
      self,
      '--subject',
      'second',
      '--idempotency-key',
      'k1',
    ],
    { stdin: 'from standard input\n' },
  );
  await stage.run(
    [
      'mail',
      'send',
      ...words,
      '--to',
      friend,
      '--cc',
      self,
      '--subject',
      'second',
      '--idempotency-key',
      'k1',
    ],
    { stdin: 'from standard input\n' },
  );
  await stage.run(
    ['mail', 'send', ...words, '--to', friend, '--cc', self, '--subject', 'other', '--idempotency-key', 'k1'],
    { stdin: 'changed\n' },
  );
  await stage.run([
    'mail',
    'send',
    ...words,
    '--to',
    'nobody@nowhere',
    '--subject',
    'x',
    '--body-content',
    'x',
  ]);
  await stage.run([
    'mail',
    'send',
    ...words,
    '--to',
    'no address',
    '--subject',
    'x',
    '--body-content',
    'x',
    '--print-json',
  ]);
  await stage.run([
    'mail',
    'send',
    ...words,
    '--to',
    friend,
    '--subject',
    'two\nlines',
    '--body-content',
    'x',
  ]);
  await stage.run([
    'mail',
    'send',
    ...words,
    '--to',
    friend,
    '--subject',
    'x',
    '--body-file',
    stage.at('missing'),
  ]);
  const posted = await stage.json([
    'mail',
    'post',
    ...words,
    '--subject',
    'before you go on',
    '--body-content',
    'the build is red',
  ]);
  const note = stage.call(posted.message.message_ref, 'note');
  const more = await stage.json([
    'mail',
    'post',
    ...words,
    '--subject',
    'no reply',
    '--reply-policy',
    'none',
    '--body-content',
    'x',
  ]);
  const mute = stage.call(more.message.message_ref, 'mute');
  await lettersOf(stage, who);
  await stage.show(['mail', 'list', ...words, '--box', 'sent']);
  await stage.show(['mail', 'list', ...words, '--limit', '1']);
  await stage.show([
    'mail',
    'list',
    ...words,
    '--read-state',
    'unread',
    '--answered-state',
    'unanswered',
    '--not-archived',
  ]);
  await stage.run(['mail', 'list', ...words, '--include-body', '--print-json']);
  await stage.show(['mail', 'list', ...words, '--since', '2099-01-01T00:00:00Z']);
  await stage.run(['mail', 'list', ...words, '--cursor', 'nonsense']);
  await stage.run(['mail', 'list', ...words, '--box', 'archive', '--not-archived']);
  await stage.show(['mail', 'peek', ...words, '--message-ref', note]);
  await stage.run(['mail', 'peek', ...words, '--message-ref', note, '--box', 'sent']);
  await stage.run(['mail', 'read', ...words, '--message-ref', note]);
  await stage.run(['mail', 'read', ...words, '--message-ref', mute, '--print-json']);
  await stage.run(['mail', 'read', ...words, '--message-ref', 'nonsense']);
  await stage.run(['mail', 'read', ...words, '--message-ref', 'nonsense', '--print-json']);
  const replied = await stage.json([
    'mail',
    'reply',
    ...words,
    '--message-ref',
    note,
    '--body-content',
    'done',
  ]);
  stage.call(replied.message.message_ref, 'reply');
  await stage.run(['mail', 'reply', ...words, '--message-ref', note, '--body-content', 'again']);
  await stage.run(['mail', 'reply', ...words, '--message-ref', mute, '--body-content', 'no']);
  await stage.show(['mail', 'search', 'build', ...words]);
  await stage.show(['mail', 'search', 'nothing-like-it', ...words]);
  await stage.run(['mail', 'search', '"', ...words]);
  await stage.run([
    'mail',
    'search',
    'build',
    'red',
    '--include-body',
    '--limit',
    '1',
    '--print-json',
    ...words,
  ]);
  await stage.run(['mail', 'mark', ...words, '--message-ref', note, '--unread', '--unanswered']);
  await stage.run([
    'mail',
    'mark',
    ...words,
    '--message-ref',
    note,
    '--message-ref',
    mute,
    '--read',
    '--print-json',
  ]);
  await stage.run(['mail', 'mark', ...words, '--message-ref', note]);
  await stage.run(['mail', 'move', ...words, '--message-ref', mute, '--destination-box', 'later']);
  await stage.run([
    'mail',
    'move',
    ...words,
    '--message-ref',
    mute,
    '--destination-box',
    'a/b',
    '--print-json',
  ]);
  await stage.show(['mail', 'list', ...words, '--box', 'later']);
  await stage.run(['mail', 'archive', ...words, '--message-ref', note]);
  await stage.run(['mail', 'archive', ...words, '--message-ref', mute, '--print-json']);
  await stage.run(['mail', 'archive', ...words, '--message-ref', 'nonsense']);
  await stage.show(['mail', 'list', ...words, '--archived']);
  await lettersOf(stage, who);
}

scene('mail-store', async (stage) => {
  await stage.run('mail status');
  await stage.quietly(['mailbox', 'init']);
  await stage.run('mail list');
  for (const name of ['ana', 'ben'])
    await stage.quietly(['mailbox', 'register', '--address', `${name}@houmao.localhost`]);
  await stage.run('mail list');
  await stage.run('mail status --address dan@houmao.localhost');
  await everyMailCommand(stage, ANA, 'ben@houmao.localhost', 'ana@houmao.localhost');
  fs.writeFileSync(stage.at('report.txt'), 'all green\n');
  await stage.run([
    'mail',
    'send',
    ...ANA.split(' '),
    '--to',
    'ben@houmao.localhost',
    '--subject',
    'files',
    '--body-content',
    'x',
    '--attach',
    stage.at('report.txt'),
    '--attach-copy',
    stage.at('report.txt'),
    '--print-json',
  ]);
  const { messages } = await stage.look('mail list --address ben@houmao.localhost --limit 1');
  await stage.show([
    'mail',
    'peek',
    '--address',
    'ben@houmao.localhost',
    '--message-ref',
    messages[0].message_ref,
  ]);
  for (const style of ['plain', 'json', 'fancy'])
    await stage.run(`mail watch ${ANA} --once --print-${style}`, {
      during: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await stage.quietly(['mail', 'post', ...ANA.split(' '), '--subject', 'news', '--body-content', 'x']);
      },
    });
});

scene('mail-flatfile', async (stage) => {
  for (const name of ['app', 'docs']) fs.mkdirSync(stage.at('work', name, '.agent'), { recursive: true });
  const inbox = stage.at('work/app/.agent/inbox.md');
  await stage.run(['mail', 'status', '--mailbox-root', inbox]);
  fs.writeFileSync(inbox, '# Inbox\n');
  await everyMailCommand(
    stage,
    `--mailbox-root ${inbox} --address totebox@app`,
    'totebox@docs',
    'totebox@app',
  );
});
