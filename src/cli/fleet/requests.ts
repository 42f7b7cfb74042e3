import { commandLine } from '../../base/index.ts';
import { anyOf, TICKET_ANSWERS, TICKET_KINDS } from '../../domain/index.ts';
import { type Command, command } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { FLEET_FLAGS } from './access.ts';
import * as commands from './requests-commands.ts';
import {
  CREATE_FLAGS,
  INBOX_FLAGS,
  MESSAGE_FLAGS,
  PENDING_FLAGS,
  RESPOND_FLAGS,
  SENT_FLAGS,
  SHOW_FLAGS,
  WATCH_FLAGS,
} from './requests-flags.ts';
import { watch } from './requests-watch.ts';

const EXAMPLE = '0198c0de-7a2b-7e11-9c3d-0123456789ab';
const REQUEST = { name: 'request-id', summary: 'the request, as the lists show it' };

/** Requests between agents and people, through the fleet server. */
const requests: Command = {
  ...FIRST_WORDS.requests,
  description:
    'A request goes to one agent, one person or anybody in the org. It is answered once, and never by its sender. ' +
    "Your token says who you are: inside an agent's session you act as the agent, elsewhere as the owner of ROUSE_FLEET_TOKEN_FILE.",
  subcommands: [
    command({
      name: 'create',
      summary: 'ask an agent or a person',
      examples: [
        'rouse requests create --to-agent ben --title "Review the parser" --detail "Branch parser-2, see #41."',
        'rouse requests create --to-anybody --kind approval --title "Deploy 1.4 to production?" --priority 80',
      ],
      flags: CREATE_FLAGS,
      run: commands.create,
    }),
    command({
      name: 'inbox',
      summary: 'requests to you: most urgent first, then oldest',
      examples: ['rouse requests inbox', 'rouse requests inbox --status all --kind approval'],
      flags: INBOX_FLAGS,
      run: commands.inbox,
    }),
    command({
      name: 'sent',
      summary: 'requests you made, newest first',
      examples: ['rouse requests sent', 'rouse requests sent --status open'],
      flags: SENT_FLAGS,
      run: commands.sent,
    }),
    command({
      name: 'pending',
      summary: 'all open requests you may see',
      examples: ['rouse requests pending --kind approval', 'rouse requests pending --to agent'],
      flags: PENDING_FLAGS,
      run: commands.pending,
    }),
    command({
      name: 'show',
      summary: 'one request and the latest messages of its thread',
      examples: [commandLine`rouse requests show ${EXAMPLE}`],
      args: [REQUEST],
      flags: SHOW_FLAGS,
      run: commands.show,
    }),
    command({
      name: 'respond',
      summary: `answer a request: ${Object.values(TICKET_KINDS)
        .map(({ answers }) => anyOf(answers))
        .join(', ')}`,
      examples: [
        commandLine`rouse requests respond ${EXAMPLE} done --note "Merged in 8c1f2e."`,
        commandLine`rouse requests respond ${EXAMPLE} rejected`,
      ],
      args: [REQUEST, { name: 'action', summary: anyOf(TICKET_ANSWERS), choices: TICKET_ANSWERS }],
      flags: RESPOND_FLAGS,
      run: commands.respond,
    }),
    command({
      name: 'message',
      summary: 'ask the requester for more, or reply as the requester',
      examples: [commandLine`rouse requests message ${EXAMPLE} --body "Which branch?"`],
      args: [REQUEST],
      flags: MESSAGE_FLAGS,
      run: commands.message,
    }),
    command({
      name: 'cancel',
      summary: 'withdraw a request; the recipient is notified',
      examples: [commandLine`rouse requests cancel ${EXAMPLE}`],
      args: [REQUEST],
      flags: FLEET_FLAGS,
      run: commands.cancel,
    }),
    command({
      name: 'watch',
      summary: 'print changes as they happen, until interrupted',
      description:
        'If the server goes away, the command waits, and then prints what happened in the meantime.',
      examples: ['rouse requests watch', 'rouse requests watch --after 1042 --print-json'],
      flags: WATCH_FLAGS,
      run: watch,
    }),
  ],
};

export default requests;
