import agents from './agents/agents.ts';
import { GATEWAY_ALIASES } from './agents/gateway-aliases.ts';
import type { Command } from './command.ts';
import { completionCommands } from './complete/complete.ts';
import config from './config/config.ts';
import demo from './demo.ts';
import doctor from './doctor/doctor.ts';
import dashboard from './fleet/dashboard.ts';
import fleet from './fleet/fleet.ts';
import requests from './fleet/requests.ts';
import server from './fleet/server.ts';
import tokens from './fleet/tokens.ts';
import help from './help-topics.ts';
import host from './host/host.ts';
import mail from './mail/mail.ts';
import mailbox from './mailbox/mailbox.ts';
import mailfile from './mailfile/mailfile.ts';
import mcp from './mcp/mcp.ts';
import { SHORT_WORDS } from './short-words.ts';
import skills from './skills.ts';
import { down, up } from './team/team.ts';
import tui from './tui/tui.ts';
import version from './version.ts';
import why from './why/why.ts';

/** Every command family. Definitions are light and loaded at once; what they run is loaded when it runs. */
export const ROOT: Command = {
  name: 'rouse',
  summary: 'durable mailboxes for terminal agents, and a gateway that wakes them when there is work',
  description:
    'Durable mail for coding agents in terminals, and a gateway beside each agent that wakes it when there is ' +
    'work, at the right moment, exactly once, and can prove it.',
  examples: [
    'rouse demo                                          # a small team, shown live',
    'rouse launch claude ana --wake                      # an agent that is woken when it has mail',
    'rouse ls                                            # every agent, and which one needs you',
    'rouse send ana "look at this" --body "the build is red"',
    'rouse why ana                                       # why it was woken, or was not',
    'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
  ],
  subcommands: [
    ...SHORT_WORDS,
    { ...why, daily: true },
    { ...up, daily: true },
    { ...down, daily: true },
    { ...dashboard, daily: true },
    demo,
    agents,
    host,
    mail,
    mailbox,
    mailfile,
    server,
    tokens,
    fleet,
    requests,
    mcp,
    tui,
    skills,
    config,
    doctor,
    help,
    version,
    // As the source spells them, without a family.
    ...GATEWAY_ALIASES,
    ...completionCommands(() => ROOT),
  ],
};
