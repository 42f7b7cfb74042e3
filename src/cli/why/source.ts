import { commandLine, isRouseError, notFound, unavailable } from '../../base/index.ts';
import type { GatewayClient } from '../../client/index.ts';
import type { Standing } from '../../domain/index.ts';
import type { ManifestFacts, Target } from '../../session/index.ts';
import { freshQueueWords, lostQueue } from '../../wire/files/session-files.ts';
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

/** Why a stopped agent has no gateway. */
export const STOPPED = 'the agent was stopped';

/** A durable reminder as its file has it. */
export type KeptReminder = Pick<Reminder, 'reminder_id' | 'title' | 'mode' | 'next_due_at_utc'>;

/** The reminders of a live gateway, or of its files when it does not run. */
export interface KnownReminders {
  live: readonly Reminder[];
  kept: readonly KeptReminder[];
  /** Deliveries that did not end as submitted, newest first. */
  troubles: readonly ReminderDelivery[];
  /** What the agent's last turn was for. */
  lastTurn?: LastTurn | undefined;
}

/** What is known about an agent's wakes: from its files, and from its gateway if it runs. */
export interface WhySource {
  agent: string;
  /** Why there is no live gateway; undefined when there is one. */
  offline: string | undefined;
  /** Why there are no records, when the queue file is lost. */
  lost?: string;
  /** From a live gateway, else from its files. */
  notifier: Partial<MailNotifierStatus> & { enabled: boolean };
  /** How often the mail was checked before wakes were turned off; null if unknown. */
  formerInterval: number | null;
  reminders: KnownReminders;
  /** The connection to the fleet server; undefined without one, or without a live gateway. */
  fleet: FleetConnection | undefined;
  /** The state of the agent now; undefined without a live gateway, unless that itself needs a person. */
  standing: Standing | undefined;
  /** Newest first. */
  decisions(limit: number, before?: number): Promise<NotifierDecision[]>;
  request(id: string): Promise<RequestView>;
  /** The request that announced this message, if the message is still open. */
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

/** The agent, or the records of its last session: people ask why mostly when it is too late. */
export async function agentOrStopped<T = Target>(
  input: TargetInput,
  find: (input: TargetInput) => Promise<T> = targetOf as never,
): Promise<T | { stopped: ManifestFacts }> {
  try {
    return await find(input);
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    const { findEnded, onMachine } = await import('../../session/index.ts');
    const context = sessionContext(input);
    const stopped = findEnded(context, onMachine(context, selectorOf(input)));
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
  const lost = typeof gateway === 'string' ? lostQueue(paths) : undefined;
  if (lost !== undefined) return withoutRecords(input, facts, { lost, stopped: gateway === STOPPED });
  const records = open(() => readable(openGatewayRecords(paths.gateway)), facts.agentName, gateway);
  // A running gateway still knows what its files no longer have.
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

/** For an agent without a gateway whose queue file is lost: the wakes it had, and the command that starts a new queue. */
async function withoutRecords(
  input: TargetInput,
  facts: ManifestFacts,
  { lost, stopped }: { lost: string; stopped: boolean },
): Promise<WhySource> {
  const [{ keptWakes }, { absentStanding, sessionPaths }] = await Promise.all([
    import('../../gateway/offline.ts'),
    import('../../session/index.ts'),
  ]);
  const agent = facts.agentName;
  const standing = stopped ? undefined : await absentStanding(sessionContext(input), facts);
  const missing = `${lost}; ${freshQueueWords(agent)}`;
  return {
    agent,
    offline: stopped ? STOPPED : (standing?.needs_you ?? missing),
    lost,
    notifier: keptWakes(sessionPaths(facts.root).gateway),
    formerInterval: null,
    reminders: { live: [], kept: [], troubles: [] },
    fleet: undefined,
    standing,
    decisions: async () => [],
    request: async () => {
      throw unavailable(lost);
    },
    announcedBy: async () => null,
    close: () => undefined,
  };
}

/** Reads from the records once: an empty file opens without an error. */
function readable<T extends { notifier: () => unknown; decisions: (limit: number) => unknown }>(
  records: T,
): T {
  records.notifier();
  records.decisions(1);
  return records;
}

/** For a gateway whose queue file was removed: what it still knows, and above all why it cannot work. */
function withoutQueue(source: WhySource): WhySource {
  return {
    ...source,
    decisions: (limit, before) => source.decisions(limit, before).catch(() => []),
    announcedBy: (ref) => source.announcedBy(ref).catch(() => null),
  };
}

/** Undefined when there are no records, but a live gateway can be asked instead. */
function open<T>(work: () => T, agent: string, gateway: GatewayClient | string): T | undefined {
  try {
    return work();
  } catch (error) {
    if (typeof gateway !== 'string') return undefined;
    // Records of another version: this error says more than that no gateway runs.
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
