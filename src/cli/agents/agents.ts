import type { Command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import mail from '../mail/agents-mail.ts';
import { DIRECT_COMMANDS } from './direct.ts';
import gateway from './gateway.ts';
import join from './join.ts';
import launch from './launch.ts';
import list from './list.ts';
import mailbox from './mailbox.ts';
import relaunch from './relaunch.ts';
import show from './show.ts';
import { leave, stop } from './stopping/stop.ts';

/** One file per subcommand; a new one is added to this list. */
const agents: Command = {
  ...FIRST_WORDS.agents,
  subcommands: [launch, join, list, show, stop, leave, relaunch, ...DIRECT_COMMANDS, gateway, mail, mailbox],
};

export default agents;
