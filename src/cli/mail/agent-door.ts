import {
  commandLine,
  conflict,
  isRouseError,
  notFound,
  type RouseError,
  systemClock,
} from '../../base/index.ts';
import { fleetMail, type GatewayClient } from '../../client/index.ts';
import type { MailOperationName } from '../../domain/index.ts';
import type { ManifestFacts, Target } from '../../session/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput } from '../agents/target.ts';
import type { Input } from '../command.ts';
import { gatewayOf, type RemoteTarget, reachable } from '../gateway/target.ts';
import { withBytes } from './attached-bytes.ts';
import { answered, type MailAnswer, type MailDoor } from './door.ts';
import { addresses } from './recipients.ts';

/** Sending writes to disk for every recipient and may wait for a lock. */
const MAIL_TIMEOUT_MS = 30_000;

const SENDING: ReadonlySet<string> = new Set(['send', 'reply']);

/**
 * One operation on the agent's mailbox: through its live gateway, otherwise on the store itself. Both run the same code
 * on the same store, so the result differs only in `execution_path`.
 */
export async function askMail(
  input: TargetInput,
  operation: MailOperationName | 'status',
  body: object = {},
): Promise<MailAnswer> {
  return askMailOf(input, await reachable(input), { operation, body });
}

/** The mailbox of an agent of this host or behind a fleet server, whether or not it runs. */
export const AGENT_DOOR: MailDoor<typeof GATEWAY_TARGET_FLAGS> = {
  example: { family: 'rouse agents mail', mailbox: '--agent-name gpu' },
  flags: GATEWAY_TARGET_FLAGS,
  sender: async (input) => {
    const found = await reachable(input);
    return found.kind === 'remote' ? {} : found;
  },
  ask: askMail,
};

/** The same for an agent that is already found. */
export async function askMailOf(
  input: Input,
  target: Target | RemoteTarget,
  asked: AskedMail,
): Promise<MailAnswer> {
  if (target.kind === 'local') return onThisHost(input, target.facts, asked);
  const gateway = (await gatewayOf(input, target, asked.caller)) as GatewayClient;
  // A path of this host means nothing on another.
  if (target.kind === 'remote') return overGateway(gateway, { ...asked, body: await withBytes(asked.body) });
  return overGateway(gateway, asked).catch(async (error: unknown) => {
    if (!isRouseError(error) || !isOwnFile(error, asked)) throw error;
    return overGateway(gateway, { ...asked, body: await withBytes(asked.body) });
  });
}

interface AskedMail {
  operation: MailOperationName | 'status';
  body: object;
  /** Set when the agent asks instead of the owner of the account. */
  caller?: 'agent';
}

async function onThisHost(input: Input, facts: ManifestFacts, asked: AskedMail): Promise<MailAnswer> {
  const gateway = await gatewayOf(input, { kind: 'local', facts }, asked.caller);
  try {
    if (typeof gateway !== 'string') return await overGateway(gateway, asked);
  } catch (error) {
    if (!isRouseError(error) || !canAskStore(error, asked)) throw error;
  }
  return onStore(input, facts, asked);
}

/**
 * Whether to use the store directly: when the gateway listens beyond loopback and so serves no mail, or when it refuses to
 * read a file because it does not recognise the owner.
 */
function canAskStore(error: RouseError, asked: AskedMail): boolean {
  return isOwnFile(error, asked) || error.facts['error_code'] === 'mail_loopback_only';
}

/** Refused because the gateway does not recognise the owner, who can read the file directly. */
function isOwnFile({ facts }: RouseError, { caller }: AskedMail): boolean {
  return caller === undefined && facts['cause'] === 'path_not_allowed';
}

async function overGateway(gateway: GatewayClient, { operation, body }: AskedMail): Promise<MailAnswer> {
  const answer = await (operation === 'status'
    ? gateway.call('mail.status', {})
    : gateway.call(`mail.${operation}`, { body: body as never }, { timeoutMs: MAIL_TIMEOUT_MS }));
  return answered(operation, 'gateway_backed', answer);
}

async function onStore(
  input: Input,
  facts: ManifestFacts,
  { operation, body, caller }: AskedMail,
): Promise<MailAnswer> {
  const binding = await activeBindingOf(input, facts);
  const { mailStatusView, runMailOperation } = await import('../../gateway/offline-mail.ts');
  const { ANY_FILE, filesBelow, openMailbox, privateDirectories } = await import('../../mail/index.ts');
  const files =
    caller === undefined
      ? ANY_FILE
      : filesBelow(facts.workingDirectory, privateDirectories(input.env, facts.root));
  const { mailbox, close } = await openMailbox(binding, { clock: systemClock, connectFleet: fleetMail });
  try {
    const answer =
      operation === 'status'
        ? await mailStatusView(mailbox, binding.bindings_version)
        : await runMailOperation(operation, body, {
            open: async () => mailbox,
            files,
            recipientAddress: async (to) => (await addresses(input, [to], async () => ({ facts })))[0]!,
          });
    // Without a gateway nothing else carries mail to another host. If the server is away, the mail waits.
    if (SENDING.has(operation)) await mailbox.outbox?.flush().catch(() => undefined);
    return answered(operation, 'manager_direct', answer);
  } finally {
    await close();
  }
}

/** The mailbox that the manifest binds; `not_found` when there is none, `conflict` when it has changed since. */
export async function activeBindingOf(input: Input, facts: ManifestFacts): Promise<MailboxBinding> {
  const { agentMail } = await import('../../session/index.ts');
  const { mailbox, activation_state: state } = (await (
    await agentMail()
  ).mailboxStatus(sessionContext(input), facts)) as {
    mailbox: MailboxBinding | null;
    activation_state: string | null;
  };
  if (!mailbox) {
    throw notFound(`agent ${facts.agentName} has no mailbox`, {
      hint: `give it one with "${commandLine`rouse agents mailbox register --agent-name ${facts.agentName}`}"`,
      facts: { cause: 'no_binding' },
    });
  }
  if (state === 'active') return mailbox;
  throw conflict(`the mailbox ${mailbox.address} has changed since the manifest was written`, {
    hint: `"${commandLine`rouse agents mailbox register --agent-name ${facts.agentName}`}" binds it again`,
    facts: { cause: 'stale_binding', address: mailbox.address },
  });
}
