import { LOCAL_DOMAIN } from '../../wire/houmao/index.ts';
import { type Command, command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { mailCommands } from './commands.ts';
import { MAILBOX_DOOR, MAILBOX_FLAGS, withMailbox } from './mailbox-door.ts';
import { WATCH_FLAGS, watchMail } from './watch.ts';

const watch = command({
  name: 'watch',
  summary: 'print new mail as it arrives, until Ctrl-C',
  examples: [`rouse mail watch --address ana@${LOCAL_DOMAIN}`],
  flags: [...WATCH_FLAGS, ...MAILBOX_FLAGS],
  run: (input) => withMailbox(input, (mailbox) => watchMail(mailbox, input)),
});

const mail: Command = {
  ...FIRST_WORDS.mail,
  description:
    'Works directly on the mail store, without a gateway. For the mail of an agent, see "rouse agents mail".',
  subcommands: [...mailCommands(MAILBOX_DOOR), watch],
};

export default mail;
