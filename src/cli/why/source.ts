import { commandLine, isRouseError, notFound, unavailable } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { Standing } from '../../domain/index.ts';
import type { ManifestFacts, Target } from '../../session/index.ts';
import type {
  FleetConnection,
  LastTurn,
  MailNotifierStatus,
  NotifierDecision,
  Reminder,
  ReminderDelivery,
  RequestView,
} from '../../wire/index.ts';
import { selectorOf, sessionContext, type TargetInput, targetOf } from '../agents/target.ts';
import { gatewayOf, reachable } from '../gateway/target.ts';

/** Why nobody answers for an agent that was stopped. */
export const STOPPED = 'the agent was stopped';

/** What the files hold of a durable reminder. */
export type KeptReminder = Pick<Reminder, 'reminder_id' | 'title' | 'mode' | 'next_due_at_utc'>;

/** Those of a live gateway, or what its files hold when there is none. */
export interface KnownReminders {
  live: readonly Reminder[];
  kept: readonly KeptReminder[];
  /** Deliveries that did not end as submitted, newest first. */
  troubles: readonly ReminderDelivery[];
  /** Who was given the agent last. */
  lastTurn?: LastTurn | undefined;
}

/** What is known of an agent's wakes: from its files, and from its gateway when one lives. */
export interface WhySource {
  agent: string;
  /** Why no gateway answers; undefined when one does. */
  offline: string | undefined;
  /** As a live gateway tells it, or what its files hold. */
  notifier: Partial<MailNotifierStatus> & { enabled: boolean };
  /** How often the mail was checked before wakes were turned off; null when nobody knows. */
  formerInterval: number | null;
  reminders: KnownReminders;
  /** How it stands with the fleet server; undefined without one, or without a live gateway. */
  fleet: FleetConnection | undefined;
  /** How it stands with the agent now; undefined without a live gateway, unless that itself needs a person. */
  standing: Standing | undefined;
  /** Newest first. */
  decisions(limit: number, before?: number): Promise<NotifierDecision[]>;
  request(id: string): Promise<RequestView>;
  /** The request that announced a message which is still open. */
  announcedBy(messageRef: string): Promise<string | null>;
  close(): void;
}

export async function whySource(input: TargetInput): Promise<WhySource> {
  const target = await agentOrStopped(input, reachable);
  if ('stopped' in target) return ofFiles(input, target.stopped, STOPPED);
  const gateway = await gatewayOf(input, target);
  if (target.kind === 'local') return ofFiles(input, target.facts, gateway);
  return ofGateway(target.agentRef, gateway as GatewayClient);
}

/** The agent, or what is left of its newest session: one asks why above all when it is too late. */
export async function agentOrStopped<T = Target>(
  input: TargetInput,
  find: (input: TargetInput) => Promise<T> = targetOf as never,
): Promise<T | { stopped: ManifestFacts }> {
  try {
    return await find(input);
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    const { findEnded } = await import('../../session/index.ts');
    const stopped = findEnded(sessionContext(input), selectorOf(input));
    if (!stopped) throw error;
    return { stopped };
  }
}

async function ofFiles(
  input: TargetInput,
  facts: ManifestFacts,
  gateway: GatewayClient | string,
): Promise<WhySource> {
  const [{ openGatewayRecords }, { absentStanding, mailboxOf, seenFromOutside, sessionPaths }] =
    await Promise.all([import('../../gateway/offline.ts'), import('../../session/index.ts')]);
  const paths = sessionPaths(facts.root);
  const records = open(() => readable(openGatewayRecords(paths.gateway)), facts.agentName, gateway);
  // A gateway that runs can tell what its files no longer hold.
  if (!records) return withoutQueue(await ofGateway(facts.agentName, gateway as GatewayClient));
  const live = typeof gateway === 'string' ? undefined : await gateway.notifier();
  const stored = records.notifier();
  const status = typeof gateway === 'string' ? undefined : await gateway.status();
  const absent =
    status || gateway === STOPPED ? undefined : await absentStanding(sessionContext(input), facts);
  return {
    agent: facts.agentName,
    offline: typeof gateway === 'string' ? gateway || 'none is attached' : undefined,
    notifier: live ?? stored,
    formerInterval: stored.interval_seconds,
    reminders:
      typeof gateway === 'string'
        ? { live: [], kept: records.reminders(), troubles: [] }
        : await remindersOf(gateway),
    fleet: status?.fleet,
    standing: status?.standing
      ? seenFromOutside(status.standing, paths, { agentName: facts.agentName, mailbox: mailboxOf(facts) })
      : absent,
    decisions: async (limit, before) => records.decisions(limit, before),
    request: async (id) => records.request(id),
    announcedBy: async (ref) => records.announcedBy(ref) ?? null,
    close: records.close,
  };
}

/** An empty file is opened before it is found to hold nothing. */
function readable<T extends { notifier: () => unknown; decisions: (limit: number) => unknown }>(
  records: T,
): T {
  records.notifier();
  records.decisions(1);
  return records;
}

/** Of a gateway whose queue was taken away: what it can still tell, and above all why. */
function withoutQueue(source: WhySource): WhySource {
  return {
    ...source,
    decisions: (limit, before) => source.decisions(limit, before).catch(() => []),
    announcedBy: (ref) => source.announcedBy(ref).catch(() => null),
  };
}

/** Undefined when there are none and a gateway lives that can be asked instead. */
function open<T>(work: () => T, agent: string, gateway: GatewayClient | string): T | undefined {
  try {
    return work();
  } catch (error) {
    if (typeof gateway !== 'string') return undefined;
    // Records of another version: their own words say more than that no gateway runs.
    if (isRouseError(error) && error.code === 'unsupported') throw error;
    if (gateway !== '' && gateway !== STOPPED)
      throw unavailable(`agent ${agent} has no live gateway: ${gateway}`);
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    throw notFound(`no gateway has run beside agent ${agent} yet, so nothing was decided`, {
      hint: `attach one with "${commandLine`rouse agents gateway attach --agent-name ${agent}`}"`,
    });
  }
}

async function ofGateway(agent: string, gateway: GatewayClient): Promise<WhySource> {
  const { fleet, standing } = await gateway.status();
  return {
    agent,
    offline: undefined,
    notifier: await gateway.notifier(),
    formerInterval: null,
    reminders: await remindersOf(gateway),
    fleet,
    standing,
    decisions: async (limit, before) =>
      (await gateway.call('notifier.decisions', { limit: limit, before: before })).decisions,
    request: (id) => gateway.getRequest(id),
    announcedBy: (ref) => gateway.announcedBy(ref),
    close: () => undefined,
  };
}

async function remindersOf(gateway: GatewayClient): Promise<KnownReminders> {
  const [set, { last_turn }] = await Promise.all([gateway.reminders(), gateway.status()]);
  return { live: set.reminders, kept: [], troubles: set.recent_deliveries ?? [], lastTurn: last_turn };
}
