import { REGISTER_MODES, UNREGISTER_MODES } from '../../domain/index.ts';
import { LOCAL_DOMAIN, NAME_PREFIX } from '../../wire/houmao/index.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues } from '../print/table.ts';
import { checkedTransport, MAILBOX_ROOT, MAILBOX_TRANSPORT } from './flags/mailbox.ts';
import { AGENT_FLAGS, type AgentInput, localAgent, sessionContext } from './target.ts';

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

async function status(input: AgentInput): Promise<Output> {
  const facts = await localAgent(input, 'mailbox status');
  const { agentMail } = await import('../../session/index.ts');
  return answer(await (await agentMail()).mailboxStatus(sessionContext(input), facts));
}

async function register(input: InputOf<typeof REGISTER_FLAGS>): Promise<Output> {
  const facts = await localAgent(input, 'mailbox register');
  const { agentMail } = await import('../../session/index.ts');
  const { flags } = input;
  const wanted = {
    root: flags.mailboxRoot,
    transport: checkedTransport(flags.mailboxTransport, flags.mailboxRoot),
    address: flags.address,
    principalId: flags.principalId,
    mode: flags.mode,
  };
  return answer(await (await agentMail()).registerMailbox(sessionContext(input), facts, wanted));
}

async function unregister(input: InputOf<typeof UNREGISTER_FLAGS>): Promise<Output> {
  const facts = await localAgent(input, 'mailbox unregister');
  const { agentMail } = await import('../../session/index.ts');
  const mode = input.flags.mode;
  return answer(await (await agentMail()).unregisterMailbox(sessionContext(input), facts, mode));
}

const REGISTER_FLAGS = [
  ...AGENT_FLAGS,
  MAILBOX_ROOT,
  MAILBOX_TRANSPORT,
  {
    name: 'address',
    value: 'ADDRESS',
    summary: `mail address (default: <name>@${LOCAL_DOMAIN}; on a fleet server <name>@<org>.fleet)`,
    parse: notBlank,
  },
  { name: 'principal-id', value: 'ID', summary: `owner (default: ${NAME_PREFIX}-<name>)`, parse: notBlank },
  {
    name: 'mode',
    value: 'MODE',
    summary: 'what to do if the address is taken',
    choices: REGISTER_MODES,
  },
  { name: 'yes', summary: 'accepted; nothing is ever asked', hidden: true },
] as const satisfies readonly Flag[];

const UNREGISTER_FLAGS = [
  ...AGENT_FLAGS,
  {
    name: 'mode',
    value: 'MODE',
    summary: 'keep its files, or delete them',
    choices: UNREGISTER_MODES,
    default: 'deactivate',
  },
] as const satisfies readonly Flag[];

const mailbox: Command = {
  name: 'mailbox',
  summary: 'which mailbox belongs to the agent',
  subcommands: [
    command({
      name: 'status',
      summary: "the agent's mailbox",
      examples: ['rouse agents mailbox status --agent-name gpu'],
      flags: AGENT_FLAGS,
      run: status,
    }),
    command({
      name: 'register',
      summary: 'give the agent a mailbox, without a relaunch',
      examples: [
        'rouse agents mailbox register --agent-name gpu',
        'rouse agents mailbox register --agent-name gpu --mailbox-transport fleet',
        'rouse agents mailbox register --agent-name gpu --mailbox-root ~/src/app/.agent/inbox.md --address totebox@app',
      ],
      flags: REGISTER_FLAGS,
      run: register,
    }),
    command({
      name: 'unregister',
      summary: "remove the agent's mailbox",
      examples: ['rouse agents mailbox unregister --agent-name gpu'],
      flags: UNREGISTER_FLAGS,
      run: unregister,
    }),
  ],
};

export default mailbox;
