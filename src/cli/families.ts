import agents from './agents/agents.ts';
import type { Command } from './command.ts';
import { completionCommands } from './complete.ts';
import demo from './demo.ts';
import fleet from './fleet/fleet.ts';
import requests from './fleet/requests.ts';
import server from './fleet/server.ts';
import tokens from './fleet/tokens.ts';
import help from './help-topics.ts';
import mail from './mail/mail.ts';
import mailbox from './mailbox/mailbox.ts';
import mailfile from './mailfile/mailfile.ts';
import mcp from './mcp/mcp.ts';
import skills from './skills.ts';
import tui from './tui/tui.ts';
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
    'rouse agents launch --tool claude --agent-name ana --gateway-auto-attach',
    'rouse agents list',
    'rouse agents mail send --agent-name ana --to ben@houmao.localhost --subject hi --body-content hello',
    'rouse mailfile prepend --mailbox .agent/inbox.md < message.md',
  ],
  subcommands: [
    demo,
    agents,
    mail,
    mailbox,
    mailfile,
    server,
    tokens,
    fleet,
    requests,
    mcp,
    tui,
    why,
    skills,
    help,
    ...completionCommands(() => ROOT),
  ],
};
