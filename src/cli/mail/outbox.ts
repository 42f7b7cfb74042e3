import { systemClock, unsupported } from '../../base/index.ts';
import { fleetMail } from '../../client/index.ts';
import type { MailOutbox } from '../../mail/index.ts';
import { AGENT_FLAGS, type AgentInput, localAgent } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { shownDate } from '../print/shown-time.ts';
import { keyValues, table } from '../print/table.ts';
import { activeBindingOf } from './agent-door.ts';

/** The outbox is in files of the session: neither the gateway nor the server is needed. */
async function withOutbox<T>(input: AgentInput, work: (outbox: MailOutbox) => Promise<T>): Promise<T> {
  const facts = await localAgent(input, 'mail outbox');
  const binding = await activeBindingOf(input, facts);
  const { openMailbox } = await import('../../mail/index.ts');
  const { mailbox, close } = await openMailbox(binding, { clock: systemClock, connectFleet: fleetMail });
  try {
    if (mailbox.outbox) return await work(mailbox.outbox);
    throw unsupported(`mail of the transport ${mailbox.transport} has no outbox`, {
      hint: 'mail from such a mailbox is delivered at once',
    });
  } finally {
    await close();
  }
}

async function list(input: AgentInput): Promise<Output> {
  const messages = await withOutbox(input, (outbox) => outbox.list());
  const plain =
    messages.length === 0
      ? 'nothing waits'
      : table(messages, [
          { title: 'held', value: ({ held_at_utc: at }) => shownDate(at, input) },
          { title: 'to', value: ({ to }) => to.join(', '), max: 40 },
          { title: 'subject', value: ({ subject }) => subject, max: 40 },
          {
            title: 'state',
            value: ({ state, reason }) => (reason === null ? state : `${state}: ${reason}`),
            max: 60,
          },
          { title: 'message id', value: ({ message_id }) => message_id },
        ]);
  return { data: { messages, message_count: messages.length }, plain };
}

async function cancel(input: InputOf<typeof CANCEL_FLAGS>): Promise<Output> {
  const message = await withOutbox(input, (outbox) => outbox.cancel(input.flags.messageId));
  const { message_id, subject } = message;
  return { data: { cancelled: true, message }, plain: keyValues({ cancelled: message_id, subject }) };
}

const CANCEL_FLAGS = [
  ...AGENT_FLAGS,
  {
    name: 'message-id',
    value: 'ID',
    summary: 'which message, as "outbox list" shows it',
    required: true,
    parse: notBlank,
  },
] as const satisfies readonly Flag[];

/** Mail that was sent with --hold while the server that keeps the mailbox was away. */
export const outbox: Command = {
  name: 'outbox',
  summary: 'mail that waits for the fleet server',
  subcommands: [
    command({
      name: 'list',
      summary: 'what waits, and what the server refused',
      examples: ['rouse agents mail outbox list --agent-name gpu'],
      flags: AGENT_FLAGS,
      run: list,
    }),
    command({
      name: 'cancel',
      summary: 'take back a message that has not been sent yet',
      examples: [
        'rouse agents mail outbox cancel --agent-name gpu --message-id msg-20260131T120000Z-0123456789abcdef0123456789abcdef',
      ],
      flags: CANCEL_FLAGS,
      run: cancel,
    }),
  ],
};
