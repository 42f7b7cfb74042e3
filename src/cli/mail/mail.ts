import type { Command } from '../command.ts';
import { mailCommands } from './commands.ts';
import { BOX } from './flags.ts';
import { MAILBOX_DOOR, MAILBOX_FLAGS, withMailbox } from './mailbox-door.ts';
import { watchMail } from './watch.ts';

const watch: Command = {
  name: 'watch',
  summary: 'print new mail as it arrives, until Ctrl-C',
  examples: ['rouse mail watch --address ana@houmao.localhost'],
  flags: [
    { ...BOX, summary: 'which box', default: 'inbox' },
    { name: 'once', summary: 'end after the first event' },
    ...MAILBOX_FLAGS,
  ],
  run: (input) => withMailbox(input, (mailbox) => watchMail(mailbox, input)),
};

const mail: Command = {
  name: 'mail',
  summary: 'read and write mail of one mailbox',
  description:
    'Works on the mail store itself; no gateway is needed. See "rouse agents mail" for the mail of a running agent.',
  subcommands: [...mailCommands(MAILBOX_DOOR), watch],
};

export default mail;
