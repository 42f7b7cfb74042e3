import type { RegisterMailbox } from '../../session/index.ts';
import type { Command, Input, Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { MAILBOX_ROOT } from './mailbox-flags.ts';
import { AGENT_FLAGS, localAgent, sessionContext } from './target.ts';

type Json = Record<string, unknown>;

async function answer(data: Json): Promise<Output> {
  const mailbox = (data['mailbox'] ?? {}) as Json;
  const { transportNamed } = await import('../../mail/transports.ts');
  const { placeField = 'filesystem_root' } = transportNamed(mailbox['transport']) ?? {};
  return {
    data,
    plain: keyValues({
      agent_name: data['agent_name'],
      registered: data['registered'],
      address: mailbox['address'] ?? data['address'],
      transport: mailbox['transport'],
      [placeField]: mailbox[placeField],
      ...('activation_state' in data && { activation_state: data['activation_state'] }),
    }),
  };
}

async function status(input: Input): Promise<Output> {
  const facts = await localAgent(input, 'mailbox status');
  const { agentMail } = await import('../../session/index.ts');
  return answer(await (await agentMail()).mailboxStatus(sessionContext(input), facts));
}

async function register(input: Input): Promise<Output> {
  const facts = await localAgent(input, 'mailbox register');
  const { agentMail } = await import('../../session/index.ts');
  const { flags } = input;
  const wanted = {
    root: flags['mailboxRoot'],
    address: flags['address'],
    principalId: flags['principalId'],
    mode: flags['mode'],
  } as RegisterMailbox;
  return answer(await (await agentMail()).registerMailbox(sessionContext(input), facts, wanted));
}

async function unregister(input: Input): Promise<Output> {
  const facts = await localAgent(input, 'mailbox unregister');
  const { agentMail } = await import('../../session/index.ts');
  const mode = input.flags['mode'] as 'deactivate' | 'purge';
  return answer(await (await agentMail()).unregisterMailbox(sessionContext(input), facts, mode));
}

const mailbox: Command = {
  name: 'mailbox',
  summary: 'which mailbox belongs to the agent',
  subcommands: [
    {
      name: 'status',
      summary: "the agent's mailbox",
      examples: ['rouse agents mailbox status --agent-name gpu'],
      flags: AGENT_FLAGS,
      run: status,
    },
    {
      name: 'register',
      summary: 'give the agent a mailbox, without a relaunch',
      examples: [
        'rouse agents mailbox register --agent-name gpu',
        'rouse agents mailbox register --agent-name gpu --mailbox-root ~/src/app/.agent/inbox.md --address totebox@app',
      ],
      flags: [
        ...AGENT_FLAGS,
        MAILBOX_ROOT,
        {
          name: 'address',
          value: 'ADDRESS',
          summary: 'mail address (default: <name>@houmao.localhost)',
          parse: notBlank,
        },
        { name: 'principal-id', value: 'ID', summary: 'owner (default: HOUMAO-<name>)', parse: notBlank },
        {
          name: 'mode',
          value: 'MODE',
          summary: 'what to do if the address is taken',
          choices: ['safe', 'force', 'stash'],
        },
        { name: 'yes', summary: 'accepted; nothing is ever asked', hidden: true },
      ],
      run: register,
    },
    {
      name: 'unregister',
      summary: "remove the agent's mailbox",
      examples: ['rouse agents mailbox unregister --agent-name gpu'],
      flags: [
        ...AGENT_FLAGS,
        {
          name: 'mode',
          value: 'MODE',
          summary: 'keep its files, or delete them',
          choices: ['deactivate', 'purge'],
          default: 'deactivate',
        },
      ],
      run: unregister,
    },
  ],
};

export default mailbox;
