import * as fs from 'node:fs';
import { scene } from './stage.ts';

scene('mailbox', async (stage) => {
  await stage.show('mailbox status');
  await stage.run('mailbox init');
  await stage.run('mailbox init --print-json');
  await stage.show('mailbox status');
  await stage.run('mailbox register --address ana@houmao.localhost --display-name Ana --role tester');
  await stage.run('mailbox register --address ben@houmao.localhost --principal-id HOUMAO-ben --print-json');
  await stage.run('mailbox register --address cleo@houmao.localhost');
  await stage.run('mailbox register --address ana@houmao.localhost --principal-id HOUMAO-other');
  await stage.run('mailbox register --address ana@houmao.localhost --principal-id HOUMAO-other --print-json');
  await stage.run('mailbox register --address nonsense');
  await stage.run(
    'mailbox register --address cleo@houmao.localhost --principal-id HOUMAO-cleo2 --mode stash',
  );
  await stage.run(
    'mailbox register --address cleo@houmao.localhost --principal-id HOUMAO-cleo3 --yes --print-json',
  );
  await stage.show('mailbox list');
  await stage.show('mailbox accounts list');
  await stage.show('mailbox accounts get --address cleo@houmao.localhost');
  await stage.show('mailbox accounts get --address dan@houmao.localhost');
  const note =
    'mail send --address ana@houmao.localhost --to ben@houmao.localhost --subject note --body-content hello';
  await stage.quietly(note.split(' '));
  await stage.run(['mailbox', 'export', '--output-dir', stage.at('export'), '--all-accounts']);
  await stage.run(['mailbox', 'export', '--output-dir', stage.at('export'), '--all-accounts']);
  await stage.run([
    'mailbox',
    'export',
    '--output-dir',
    stage.at('one'),
    '--address',
    'ben@houmao.localhost',
    '--symlink-mode',
    'preserve',
    '--print-json',
  ]);
  await stage.run(['mailbox', 'export', '--output-dir', stage.at('two')]);
  await stage.run('mailbox unregister --address cleo@houmao.localhost');
  await stage.run('mailbox unregister --address cleo@houmao.localhost --mode purge --print-json');
  await stage.run('mailbox unregister --address dan@houmao.localhost');
  await stage.show('mailbox cleanup --dry-run');
  await stage.run('mailbox cleanup');
  await stage.show('mailbox repair');
  fs.writeFileSync(stage.at('home/mailbox/index.sqlite'), 'this is no database');
  await stage.show('mailbox status');
  await stage.run('mailbox repair');
  await stage.show('mailbox clear-messages --dry-run');
  await stage.run('mailbox clear-messages');
  await stage.run('mailbox clear-messages --yes');
  await stage.run('mailbox clear-messages --yes --print-json');
  await stage.run(['mailbox', 'status', '--mailbox-root', stage.at('elsewhere')]);
});
