import { conflict, isRouseError, notFound, systemClock } from '../../base/index.ts';
import { fleetMail, type GatewayClient } from '../../client/index.ts';
import type { MailOperationName } from '../../domain/index.ts';
import type { ManifestFacts, Target } from '../../session/index.ts';
import type { MailboxBinding } from '../../wire/index.ts';
import { GATEWAY_TARGET_FLAGS, sessionContext, type TargetInput } from '../agents/target.ts';
import type { Input } from '../command.ts';
import { type AfarTarget, gatewayOf, reachable } from '../gateway/target.ts';
import { answered, type MailAnswer, type MailDoor } from './door.ts';

/** Sending writes to disk for every recipient and may wait for a lock. */
const MAIL_TIMEOUT_MS = 30_000;

const SENDING: ReadonlySet<string> = new Set(['send', 'reply']);

/**
 * One operation on the agent's mailbox: through its live gateway, otherwise on the store itself; both are the same code
 * on the same store, so the answer differs only in `execution_path`.
 */
export async function askMail(
  input: TargetInput,
  operation: MailOperationName | 'status',
  body: object = {},
): Promise<MailAnswer> {
  return askMailOf(input, await reachable(input), { operation, body });
}

/** The mailbox of an agent that runs, or ran, on this host or behind a fleet server. */
export const AGENT_DOOR: MailDoor<typeof GATEWAY_TARGET_FLAGS> = {
  example: { family: 'rouse agents mail', mailbox: '--agent-name gpu' },
  flags: GATEWAY_TARGET_FLAGS,
  ask: askMail,
};

/** The same for an agent that was found already. */
export async function askMailOf(
  input: Input,
  target: Target | AfarTarget,
  { operation, body }: { operation: MailOperationName | 'status'; body: object },
): Promise<MailAnswer> {
  return target.kind !== 'local'
    ? overGateway((await gatewayOf(input, target)) as GatewayClient, operation, body)
    : onThisHost(input, target.facts, { operation, body });
}

async function onThisHost(
  input: Input,
  facts: ManifestFacts,
  { operation, body }: { operation: MailOperationName | 'status'; body: object },
): Promise<MailAnswer> {
  const gateway = await gatewayOf(input, { kind: 'local', facts });
  try {
    if (typeof gateway !== 'string') return await overGateway(gateway, operation, body);
  } catch (error) {
    // A gateway that listens beyond loopback serves no mail; the store itself can be used from here.
    if (!isRouseError(error) || error.facts['error_code'] !== 'mail_loopback_only') throw error;
  }
  return onStore(input, facts, operation, body);
}

async function overGateway(
  gateway: GatewayClient,
  operation: MailOperationName | 'status',
  body: object,
): Promise<MailAnswer> {
  const answer = await (operation === 'status'
    ? gateway.call('mail.status', {})
    : gateway.call(`mail.${operation}`, { body: body as never }, { timeoutMs: MAIL_TIMEOUT_MS }));
  return answered(operation, 'gateway_backed', answer);
}

async function onStore(
  input: Input,
  facts: ManifestFacts,
  operation: MailOperationName | 'status',
  body: object,
): Promise<MailAnswer> {
  const binding = await activeBindingOf(input, facts);
  const { mailStatusView, runMailOperation } = await import('../../gateway/offline-mail.ts');
  const { openMailbox } = await import('../../mail/index.ts');
  const { mailbox, close } = await openMailbox(binding, { clock: systemClock, connectFleet: fleetMail });
  try {
    const answer =
      operation === 'status'
        ? await mailStatusView(mailbox, binding.bindings_version)
        : await runMailOperation(operation, body, async () => mailbox);
    // Mail to another host, from a mailbox of this one that nobody else carries. It waits if the server is away.
    if (SENDING.has(operation)) await mailbox.outbox?.flush().catch(() => undefined);
    return answered(operation, 'manager_direct', answer);
  } finally {
    await close();
  }
}

/** The mailbox the manifest binds; `not_found` when there is none, `conflict` when it is no longer what it was. */
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
      hint: `give it one with "rouse agents mailbox register --agent-name ${facts.agentName}"`,
      facts: { cause: 'no_binding' },
    });
  }
  if (state === 'active') return mailbox;
  throw conflict(`the mailbox ${mailbox.address} is no longer what the manifest says`, {
    hint: `"rouse agents mailbox register --agent-name ${facts.agentName}" binds it again`,
    facts: { cause: 'stale_binding', address: mailbox.address },
  });
}
