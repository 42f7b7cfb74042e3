import * as fs from 'node:fs';
import * as path from 'node:path';
import { scene } from './stage.ts';

const message = (id: string, more = '') =>
  `---\nfrom: totebox@docs\nto: totebox@app\nre: about ${id}\ncreated: 2026-01-31T09:00:00Z\nmsg-id: ${id}\n${more}---\n\nbody of ${id}\n`;

scene('mailfile', async (stage) => {
  for (const name of ['app', 'docs', 'hub'])
    fs.mkdirSync(stage.at('work', name, '.agent'), { recursive: true });
  const inbox = stage.at('work/app/.agent/inbox.md');
  const at = ['--mailbox', inbox];
  await stage.show(['mailfile', 'list', ...at]);
  await stage.run(['mailfile', 'prepend', ...at], { stdin: message('one') });
  await stage.run(['mailfile', 'prepend', ...at], { stdin: message('one') });
  await stage.run(['mailfile', 'prepend', ...at], { stdin: message('one', 'priority: high\n') });
  await stage.run(['mailfile', 'prepend', ...at, '--print-json'], {
    stdin: message('one', 'priority: high\n'),
  });
  await stage.run(['mailfile', 'prepend', ...at, '--print-json'], {
    stdin: message('two', 'status: operator-pending\n'),
  });
  await stage.run(['mailfile', 'prepend', ...at], { stdin: 'no envelope' });
  fs.writeFileSync(stage.at('three.md'), message('three'));
  await stage.run(['mailfile', 'prepend', ...at, '--message-file', stage.at('three.md'), '--print-fancy']);
  await stage.run(['mailfile', 'prepend', ...at, '--generate-id', '--print-json'], {
    stdin: '---\nfrom: a@b\nto: totebox@app\nre: no id\n---\nx\n',
  });
  await stage.show(['mailfile', 'list', ...at]);
  await stage.show(['mailfile', 'list', ...at, '--open', '--limit', '2', '--include-body']);
  await stage.show(['mailfile', 'list', ...at, '--status', 'operator-pending', '--after', 'three']);
  await stage.show(['mailfile', 'show', ...at, '--msg-id', 'one']);
  await stage.show(['mailfile', 'show', ...at, '--msg-id', 'missing']);
  await stage.run([
    'mailfile',
    'set-status',
    ...at,
    '--msg-id',
    'one',
    '--status',
    'actioned',
    '--by',
    'ben',
    '--note',
    'merged',
  ]);
  await stage.run([
    'mailfile',
    'set-status',
    ...at,
    '--msg-id',
    'two',
    '--status',
    'actioned',
    '--print-json',
  ]);
  await stage.run([
    'mailfile',
    'set-status',
    ...at,
    '--msg-id',
    'three',
    '--status',
    'actioned',
    '--if-status',
    'stale',
  ]);
  await stage.run(['mailfile', 'set-status', ...at, '--msg-id', 'three', '--status', 'wild']);
  await stage.run(['mailfile', 'set-status', ...at, '--msg-id', 'missing', '--status', 'actioned']);
  await stage.run(['mailfile', 'archive', ...at, '--msg-id', 'one']);
  await stage.run(['mailfile', 'archive', ...at, '--status', 'actioned', '--print-json']);
  await stage.run(['mailfile', 'archive', ...at, '--msg-id', 'missing']);
  await stage.run(['mailfile', 'archive', ...at]);
  await stage.show(['mailfile', 'show', ...at, '--msg-id', 'one']);
  await stage.show(['mailfile', 'fsck', ...at]);
  fs.appendFileSync(inbox, '\n---\nfrom: x@y\nre: open for ever\n');
  fs.appendFileSync(inbox, message('three', 'status: wild\n'));
  await stage.show(['mailfile', 'fsck', ...at]);
  await stage.run(['mailfile', 'fsck', ...at, '--repair']);
  await stage.run(['mailfile', 'fsck', ...at, '--print-json']);
  await stage.show(['mailfile', 'lock-path', ...at]);
  await stage.show(['mailfile', 'lock-path', ...at, '--compat-lock']);

  const outbox = stage.at('work/docs/.agent/outbox.md');
  for (const [id, to] of Object.entries({
    'to-app': 'totebox@app',
    'to-hub': 'command@claude-code',
    'to-none': 'totebox@nowhere',
  }))
    await stage.quietly(['mailfile', 'prepend', '--mailbox', outbox], {
      stdin: message(id).replace('to: totebox@app', `to: ${to}`),
    });
  const relay = [
    'mailfile',
    'relay',
    '--hub',
    stage.at('work/hub'),
    '--directory',
    path.dirname(path.dirname(outbox)),
    '--directory',
    stage.at('work/app'),
    '--by',
    'relay',
  ];
  await stage.show([...relay, '--dry-run']);
  await stage.run(relay);
  await stage.run([...relay, '--print-json']);
  await stage.run('mailfile relay --directory missing');
  for (const style of ['plain', 'json', 'fancy'])
    await stage.run(['mailfile', 'watch', ...at, '--once', `--print-${style}`], {
      during: async () => {
        await new Promise((resolve) => setTimeout(resolve, 300));
        await stage.quietly(['mailfile', 'prepend', ...at], { stdin: message(`news-${style}`) });
      },
    });
});
