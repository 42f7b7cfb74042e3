import { invalid, isRouseError, notFound } from '../../base/index.ts';
import { type AwaitedReceipt, agentAddress } from '../../domain/index.ts';
import type { KnownAddress, Target } from '../../session/index.ts';
import { ALL, expandNames, type NamedAgent, TEAM } from '../agents/expand-names.ts';
import { forAgents } from '../agents/several-agents.ts';
import { sessionContext } from '../agents/target.ts';
import { command, type Flag, type Input, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { BODY_FLAGS, bodyText, writtenText } from '../input/body-text.ts';
import { notBlank } from '../input/flag-values.ts';
import { askMailOf } from './agent-door.ts';
import { attachments } from './commands.ts';
import type { MailAnswer } from './door.ts';
import { ATTACHMENT_FLAGS, HOLD } from './flags.ts';
import { MAILBOX_DOOR } from './mailbox-door.ts';
import { sentText } from './print.ts';
import { NOT_REACHED, RECEIPT_FLAGS, receiptLines, waitForReceipts } from './receipts.ts';
import { recipient, senderContext } from './recipients.ts';
import { sessionAgent } from './session-agent.ts';

/** A longer first line is cut for the subject; the text has all of it. */
const MAX_SUBJECT = 120;

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { all, team } = input.flags;
  const [first, ...rest] = input.args;
  // With --all or --team no word names a recipient.
  const [to, subject] = all || team ? [undefined, first] : [first, rest[0]];
  if ((all || team) && rest.length > 0)
    throw invalid('names, --all and --team exclude each other', { hint: 'use one of them' });
  if (to === undefined && !all && !team)
    throw invalid('say whom to send it to', {
      hint: 'for example: rouse send ana "just do it"; or --all, --team',
    });
  if (input.flags.timeout !== undefined && input.flags.wait === undefined)
    throw invalid('--timeout goes with --wait', { hint: 'for example: --wait read --timeout 10m' });
  const text = await subjectAndText(input, subject);
  const sender = await senderOf(input);
  if (to !== undefined && !to.includes(',')) return sendTo(input, { name: to }, { text, sender });
  const words = to === undefined ? [] : [to];
  const everyone = await expandNames(input, { words, all: all === true, team: team === true });
  const own = sender?.kind === 'local' && to === undefined ? sender.facts.agentName : undefined;
  const recipients = own === undefined ? everyone : await others(input, everyone, own);
  return forAgents(input, recipients, (agent, each) =>
    sendTo({ ...input, ...each, flags: ownKey(input.flags, agent.name) }, agent, { text, sender }),
  );
}

/** Without the sender, which the team may call by its short name. */
async function others(input: Input, everyone: NamedAgent[], own: string): Promise<NamedAgent[]> {
  const { nameOnMachine } = await import('../../session/index.ts');
  const context = sessionContext(input);
  return everyone.filter(({ name, id }) => (id === undefined ? nameOnMachine(context, name) : name) !== own);
}

/** The same key with another recipient would be refused as another message. */
function ownKey<F extends { idempotencyKey: string | undefined }>(flags: F, name: string): F {
  const { idempotencyKey: key } = flags;
  return key === undefined ? flags : { ...flags, idempotencyKey: `${key}:${name}` };
}

interface OutgoingMail {
  text: { subject: string; body_content: string };
  sender: Target | undefined;
}

/** To whom: as named, the known agent, and the address of a plain name that no agent has now. */
interface Recipient {
  typed: string;
  known: KnownAddress | undefined;
  address: string;
}

/** A name with an id is the one on the machine. */
async function recipientOf(
  input: Input,
  { name: typed, id }: NamedAgent,
  sender: Target | undefined,
): Promise<Recipient> {
  const meant = await senderContext(input, sender);
  const context = id === undefined ? meant : { ...meant, here: undefined };
  const known = await recipient(context, typed);
  if (known || typed.includes('@')) return { typed, known, address: known?.address ?? typed };
  const { nameOnMachine } = await import('../../session/index.ts');
  return { typed, known, address: agentAddress(nameOnMachine(context, typed)) };
}

async function sendTo(
  input: InputOf<typeof FLAGS>,
  agent: NamedAgent,
  { text, sender }: OutgoingMail,
): Promise<Output> {
  const to = await recipientOf(input, agent, sender);
  const { hold } = input.flags;
  const message = { ...text, ...attachments(input.flags) };
  const data = sender
    ? await fromAgent(input, sender, to, { ...message, ...(hold && { hold }) })
    : await fromOperator(input, to, message);
  const unwoken = await whyUnwoken(input, to);
  const plain = await sentText(data);
  if (input.flags.wait !== undefined) return withReceipts(input, { data, plain, wait: input.flags.wait });
  return { data, plain: unwoken === undefined ? plain : `${plain}\nnote: ${unwoken}` };
}

async function withReceipts(
  input: InputOf<typeof FLAGS>,
  { data, plain, wait }: { data: MailAnswer; plain: string; wait: AwaitedReceipt },
): Promise<Output> {
  const { timeout } = input.flags;
  const { receipts, reached } = await waitForReceipts(input, data, { wait, timeout });
  return {
    data: { ...data, receipts, reached },
    plain: `${plain}\n${receiptLines(receipts)}`,
    exitCode: reached ? 0 : NOT_REACHED,
  };
}

/**
 * The subject and the text of the message. Without a separate text, the first line of the argument is the subject and the
 * whole argument is the text. Without an argument, the text from the editor or standard input is used in the same way.
 */
async function subjectAndText(
  input: InputOf<typeof FLAGS>,
  given: string | undefined,
): Promise<OutgoingMail['text']> {
  if (given === undefined) return withSubject(await bodyText(input));
  if (given.trim() === '') throw invalid('the subject must not be blank');
  const text = await writtenText(input);
  return text === undefined ? withSubject(given) : { subject: given, body_content: text };
}

function withSubject(text: string): { subject: string; body_content: string } {
  const [first = ''] = text.trim().split(/\r?\n/, 1);
  if (first === '')
    throw invalid('the message has no text', { hint: 'add a subject, --body or standard input' });
  const subject = first.length <= MAX_SUBJECT ? first.trim() : `${first.slice(0, MAX_SUBJECT - 1).trim()}…`;
  return { subject, body_content: text };
}

/** The agent that was named, else the one of the session this runs in; undefined: the operator. */
async function senderOf(input: InputOf<typeof FLAGS>): Promise<Target | undefined> {
  const { from } = input.flags;
  if (from === undefined) return sessionAgent(input);
  const { findTarget } = await import('../../session/index.ts');
  return findTarget(sessionContext(input), { agentName: from, called: true });
}

async function fromAgent(
  input: InputOf<typeof FLAGS>,
  sender: Target,
  { address }: Recipient,
  message: object,
): Promise<MailAnswer> {
  return askMailOf(input, sender, { operation: 'send', body: { to: [address], ...message } });
}

/** Leaves a note in the mailbox of the known agent, else in the mailbox that has the address in the mail store. */
async function fromOperator(
  input: InputOf<typeof FLAGS>,
  to: Recipient,
  message: object,
): Promise<MailAnswer> {
  const { known, address } = to;
  if (known) {
    const { findTarget } = await import('../../session/index.ts');
    const target = await findTarget(sessionContext(input), { agentId: known.agentId });
    return askMailOf(input, target, { operation: 'post', body: message });
  }
  const flags = { mailboxRoot: undefined, address, transport: 'auto' };
  try {
    return await MAILBOX_DOOR.ask({ ...input, flags }, 'post', message);
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    throw await noSuchRecipient(input, to);
  }
}

/** Why the mail, which is stored in any case, will not wake its recipient. Known only for agents of this host. */
async function whyUnwoken(input: Input, { typed, known }: Recipient): Promise<string | undefined> {
  if (known === undefined) return undefined;
  const { whyNotWoken } = await import('../../session/index.ts');
  const found = await whyNotWoken(sessionContext(input), known.agentId);
  return found && `${typed} will not be woken for it${found.later ? ' yet' : ''}: ${found.why}`;
}

async function noSuchRecipient(
  input: InputOf<typeof FLAGS>,
  { typed: to, address }: Recipient,
): Promise<Error> {
  const { nearAddress } = await import('../../session/index.ts');
  const near = nearAddress(sessionContext(input), to);
  const what = to.includes('@') ? `address ${to}` : `name "${to}", and no mailbox ${address}`;
  return notFound(`there is no agent with ${what}`, {
    hint: near ? `did you mean "${near}"? "rouse ls" shows all` : '"rouse ls" shows the agents there are',
  });
}

const FLAGS = [
  ...BODY_FLAGS,
  {
    name: 'from',
    value: 'AGENT',
    summary: 'the agent it is from (default: the agent of this session; outside a session you, the operator)',
    parse: notBlank,
  },
  ...ATTACHMENT_FLAGS,
  HOLD,
  ALL,
  TEAM,
  ...RECEIPT_FLAGS,
] as const satisfies readonly Flag[];

/** `agents mail send` inside the session of an agent, `agents mail post` elsewhere. */
export const send = command({
  ...FIRST_WORDS.send,
  description:
    'Inside the session of an agent the mail is from that agent, as with `agents mail send`. Elsewhere it is ' +
    'a note from you, the operator, as with `agents mail post`. It is stored before the command ends, whether or not the agent runs. ' +
    'Several recipients get a message each, with an outcome each.',
  examples: [
    'rouse send ana "please look at main: the build is red"',
    'rouse send ana "the build is red" --body "please look at main"',
    'rouse send ana,ben "pull before you go on"   # one message each; also --all and --team',
    'rouse send ana report --body-file report.md',
    'rouse send ana "is it green?" --wait answered --timeout 30m',
    'git diff | rouse send rev "please review"',
  ],
  args: [
    {
      name: 'to',
      names: 'agent',
      optional: true,
      summary: 'name of an agent, or a mail address; several as ana,ben',
    },
    {
      name: 'subject',
      optional: true,
      summary: 'one line; without another text it is the text as well, and may have several lines',
    },
  ],
  flags: FLAGS,
  run,
});
