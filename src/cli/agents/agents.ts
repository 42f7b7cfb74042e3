import type { Command } from '../command.ts';
import mail from '../mail/agents-mail.ts';
import { DIRECT_COMMANDS } from './direct.ts';
import gateway from './gateway.ts';
import { GATEWAY_ALIASES } from './gateway-aliases.ts';
import join from './join.ts';
import launch from './launch.ts';
import list from './list.ts';
import mailbox from './mailbox.ts';
import relaunch from './relaunch.ts';
import show from './show.ts';
import { leave, stop } from './stop.ts';

/** One file per subcommand; a new one is added to this list. */
const agents: Command = {
  name: 'agents',
  summary: 'launch, find and stop agents; attach and inspect their gateways',
  subcommands: [
    launch,
    join,
    list,
    show,
    stop,
    leave,
    relaunch,
    ...DIRECT_COMMANDS,
    gateway,
    mail,
    mailbox,
    ...GATEWAY_ALIASES,
  ],
};

export default agents;
