import type { Command, Flag } from '../command.ts';
import { BODY_FLAGS } from '../input/body-text.ts';
import { notBlank, wholeNumber } from '../input/flag-values.ts';
import { FLEET_FLAGS } from './access.ts';
import * as commands from './requests-commands.ts';
import { watch } from './requests-watch.ts';

const EXAMPLE = '0198c0de-7a2b-7e11-9c3d-0123456789ab';
const KINDS = ['task', 'approval'];
const FILTERS = [
  'open',
  'closed',
  'all',
  'pending',
  'info_requested',
  'done',
  'approved',
  'rejected',
  'cancelled',
];

const REQUEST = { name: 'request-id', summary: 'the request, as the lists show it' };
const KIND: Flag = { name: 'kind', value: 'KIND', summary: 'only tasks or only approvals', choices: KINDS };
const PAGE: Flag[] = [
  { name: 'limit', value: 'N', summary: 'maximum number to show; default 50', parse: wholeNumber(1, 200) },
  {
    name: 'cursor',
    value: 'CURSOR',
    summary: 'next page: the cursor printed with the previous page',
    parse: notBlank,
  },
];
const WORKSPACE: Flag = {
  name: 'workspace-id',
  value: 'ID',
  summary: "administrators: this agent's instead of your own",
  parse: notBlank,
};
const ORG: Flag = {
  name: 'org',
  value: 'NAME',
  summary: 'server administrators: act in this org',
  parse: notBlank,
};
const status = (summary: string): Flag => ({ name: 'status', value: 'STATUS', summary, choices: FILTERS });

/** What agents and people ask of each other, over the fleet server. */
const requests: Command = {
  name: 'requests',
  summary: 'tasks and approvals between agents and people',
  description:
    'A request is asked of one agent, one person or anybody of the org; it is answered once, and nobody answers their own. ' +
    "You are whoever the token says: inside an agent's session the agent, elsewhere the holder of ROUSE_FLEET_TOKEN_FILE.",
  subcommands: [
    {
      name: 'create',
      summary: 'ask an agent or a person',
      examples: [
        'rouse requests create --to-agent ben --title "Review the parser" --detail "Branch parser-2, see #41."',
        'rouse requests create --to-anybody --kind approval --title "Deploy 1.4 to production?" --priority 80',
      ],
      flags: [
        { name: 'to-agent', value: 'REF', summary: 'its name, agent id or workspace id', parse: notBlank },
        { name: 'to-user', value: 'NAME', summary: 'this person', parse: notBlank },
        { name: 'to-anybody', summary: 'anybody in the org; the first to answer' },
        { ...KIND, summary: 'task (default) or approval', default: 'task' },
        { name: 'title', value: 'TEXT', summary: 'one line', required: true, parse: notBlank },
        { name: 'detail', value: 'TEXT', summary: 'what is needed to do it (Markdown)', parse: notBlank },
        {
          name: 'priority',
          value: 'N',
          summary: '0 to 100, higher is more urgent',
          parse: wholeNumber(0, 100),
        },
        {
          name: 'idempotency-key',
          value: 'KEY',
          summary: 'a retry with the same key and content is the same request',
          parse: notBlank,
        },
        ORG,
        ...FLEET_FLAGS,
      ],
      run: commands.create,
    },
    {
      name: 'inbox',
      summary: 'requests to you: most urgent first, then oldest',
      examples: ['rouse requests inbox', 'rouse requests inbox --status all --kind approval'],
      flags: [status('default open'), KIND, ...PAGE, WORKSPACE, ORG, ...FLEET_FLAGS],
      run: commands.inbox,
    },
    {
      name: 'sent',
      summary: 'requests you made, newest first',
      examples: ['rouse requests sent', 'rouse requests sent --status open'],
      flags: [status('default all'), KIND, ...PAGE, WORKSPACE, ORG, ...FLEET_FLAGS],
      run: commands.sent,
    },
    {
      name: 'pending',
      summary: 'all open requests you may see',
      examples: ['rouse requests pending --kind approval', 'rouse requests pending --to agent'],
      flags: [
        status('default open'),
        KIND,
        {
          name: 'to',
          value: 'TYPE',
          summary: 'only those to agents, or to people',
          choices: ['agent', 'user'],
        },
        ...PAGE,
        ORG,
        ...FLEET_FLAGS,
      ],
      run: commands.pending,
    },
    {
      name: 'show',
      summary: 'one request and the latest messages of its thread',
      examples: [`rouse requests show ${EXAMPLE}`],
      args: [REQUEST],
      flags: [...PAGE, ...FLEET_FLAGS],
      run: commands.show,
    },
    {
      name: 'respond',
      summary: 'answer a request: done or rejected, approved or rejected',
      examples: [
        `rouse requests respond ${EXAMPLE} done --note "Merged in 8c1f2e."`,
        `rouse requests respond ${EXAMPLE} rejected`,
      ],
      args: [
        REQUEST,
        { name: 'action', summary: 'done, approved or rejected', choices: ['done', 'approved', 'rejected'] },
      ],
      flags: [
        { name: 'note', value: 'TEXT', summary: 'a closing note, kept with the answer', parse: notBlank },
        ...FLEET_FLAGS,
      ],
      run: commands.respond,
    },
    {
      name: 'message',
      summary: 'ask the requester for more, or reply as the requester',
      examples: [`rouse requests message ${EXAMPLE} --body-content "Which branch?"`],
      args: [REQUEST],
      flags: [...BODY_FLAGS, ...FLEET_FLAGS],
      run: commands.message,
    },
    {
      name: 'cancel',
      summary: 'withdraw a request; the recipient is notified',
      examples: [`rouse requests cancel ${EXAMPLE}`],
      args: [REQUEST],
      flags: FLEET_FLAGS,
      run: commands.cancel,
    },
    {
      name: 'watch',
      summary: 'print changes as they happen, until interrupted',
      description:
        'If the server goes away, the command waits; what happened meanwhile is printed when it is back.',
      examples: ['rouse requests watch', 'rouse requests watch --after 1042 --print-json'],
      flags: [
        {
          name: 'after',
          value: 'ID',
          summary: 'start after this event',
          parse: wholeNumber(0),
        },
        ...FLEET_FLAGS,
      ],
      run: watch,
    },
  ],
};

export default requests;
