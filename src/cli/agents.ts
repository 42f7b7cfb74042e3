import { DIRECT_COMMANDS } from './agents-direct.ts';
import gateway from './agents-gateway.ts';
import { GATEWAY_ALIASES } from './agents-gateway-aliases.ts';
import join from './agents-join.ts';
import launch from './agents-launch.ts';
import list from './agents-list.ts';
import mail from './agents-mail.ts';
import mailbox from './agents-mailbox.ts';
import relaunch from './agents-relaunch.ts';
import show from './agents-show.ts';
import { leave, stop } from './agents-stop.ts';
import type { Command } from './command.ts';

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
