import { type Clock, type Ending, type Loop, readObjectIfAny, untilWall } from '../base/index.ts';
import { type AgentEdges, type ParkPolicy, stateDocument, WAKE_ANNOUNCEMENTS } from '../domain/index.ts';
import type { GlanceFile } from '../wire/index.ts';
import type { ControlDependencies } from './control/index.ts';
import { type DispatchDependencies, dispatchPass, interruptPass } from './dispatch/index.ts';
import { WrittenOnChange } from './files/index.ts';
import type { FleetPlace } from './fleet/index.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { MailAccess, servesMail } from './mail/index.ts';
import {
  type AgentTools,
  Notifier,
  type NotifierDependencies,
  renderWakePrompt,
  senderNames,
} from './notifier/index.ts';
import type { GatewayParts } from './open-parts.ts';
import { GatewayTroubles, Glance, Presence, StateChanges, Undelivered } from './presence/index.ts';
import { ReminderStore, Reminders } from './reminders/index.ts';
import { resumeAfterLimit } from './resume-after-limit.ts';
import { supervisor, troublesOf } from './supervise.ts';

export type GatewayLoops = ReturnType<typeof createLoops>;

/** Known only after everything else exists. */
interface Late {
  fleet: FleetPlace | undefined;
  notifier: Notifier | undefined;
  loops: readonly Loop[];
}

/** Creates the loops that fill the queue and empty it. Nothing runs yet. */
export function createLoops(config: GatewayConfig, parts: GatewayParts, ending: Ending) {
  const { clock, session } = config;
  const { surface, queue, slot, hold, instances, events, log, pause, keysPause } = parts;
  const late: Late = { fleet: undefined, notifier: undefined, loops: [] };
  const seen = createPresence(config, parts, late, ending);
  const { identity, presence, showState, troubles } = seen;
  const supervise = supervisor(clock, log, showState);
  const backend = session.backend;
  const on: ControlDependencies = { backend, surface, queue, slot, hold, presence, instances, events, clock };
  const serverReportsMail = (): boolean => late.fleet?.watchMail() === true;
  const { mail, notifier, notify } = createNotifier(
    config,
    { ...parts, on, supervise, showState, serverReportsMail },
    ending,
  );
  const outbox = createOutbox(mail, { supervise, serverReportsMail }, ending);
  const waits = createWaits(mail, { clock, supervise }, ending);
  late.notifier = notifier;
  const stopping = new AbortController();
  const dispatching: DispatchDependencies = {
    ...on,
    pause,
    log,
    stopping: stopping.signal,
    admission: presence.admission,
    epoch: presence.epoch,
    recheck: async (row) => (row.request_kind === 'mail_notifier_prompt' ? notifier.recheck() : { go: true }),
  };
  ending.add(() => slot.idle());
  const dispatch = supervise('dispatch', () => dispatchPass(dispatching));
  ending.add(() => dispatch.stop());
  const interrupts = supervise('interrupts', () => interruptPass({ ...dispatching, pause: keysPause }));
  ending.add(() => interrupts.stop());
  const policy = (): ParkPolicy => notifier.park;
  surface.parkBy?.(policy);
  const wakeIsDue = (): boolean => notifier.wakeIsDue;
  const resume = supervise('resume', resumeAfterLimit({ ...dispatching, policy, wakeIsDue }));
  ending.add(() => resume.stop());
  const { reminders, remind } = createReminders({ ...parts, on, supervise }, stopping.signal);
  const untilResumed = supervise('pause', hold.pass);
  ending.add(() => untilResumed.stop());
  late.loops = [untilResumed, interrupts, dispatch, remind, notify, resume];
  return {
    on,
    identity,
    presence,
    showState,
    troubles,
    fileTroubles: seen.fileTroubles,
    mail,
    outbox,
    waits,
    notifier,
    dispatching,
    stopping,
    reminders,
    remind,
    late,
  };
}

/** What the gateway reports about itself, and the files that hold it. */
function createPresence(config: GatewayConfig, parts: GatewayParts, late: Late, ending: Ending) {
  const { agent_name: agentName } = config.session.manifest;
  const identity = { ...config, ...config.session, agentName, port: parts.port };
  const { queueFile } = parts;
  const troubles = new GatewayTroubles({
    agentName: agentName ?? undefined,
    loops: () => late.loops,
    files: () => parts.troubles.reasons,
    queueFile: () => queueFile.trouble,
    mail: () => late.notifier?.mailTrouble,
  });
  const presence = new Presence({
    ...parts,
    identity,
    fleet: () => late.fleet?.view,
    mailLoop: () => late.notifier?.loop,
    toolsLost: toolsLost(config, parts),
    failing: () => troublesOf(late.loops),
    gatewayTroubles: () => troubles.all(),
  });
  const state = new WrittenOnChange(parts.files.state, config.clock, parts.troubles);
  const glance = new WrittenOnChange(parts.files.glance, config.clock, parts.troubles, {
    // "rouse ls" right after "rouse launch --wake" must not report that the tool is gone and wakes are off. Working and
    // idle count as the same state: a busy queue alternates between them.
    urgent: ({ standing, wakes }: GlanceFile) => [
      standing.state === 'working' ? 'idle' : standing.state,
      wakes.on,
    ],
    trusted: true,
  });
  const undelivered = new Undelivered({ ...parts, clock: config.clock, agentName: agentName || 'NAME' });
  ending.add(undelivered.stop);
  const seen = new Glance({
    standing: () => presence.standing(),
    queueDepth: () => parts.queue.depth(),
    undelivered: () => undelivered.now(),
    mail: () => late.notifier?.glance() ?? NO_MAIL,
    states: new StateChanges(parts.db, config.clock),
    edges: edgesIn(parts.files.glance),
  });
  const kept = new WrittenOnChange(parts.files.kept, config.clock, parts.troubles);
  ending.add(async () => {
    const last = late.notifier && kept.end(late.notifier.kept());
    await Promise.all([state.end(stateDocument(presence.offline())), glance.end(seen.ended()), last]);
  });
  const showState = (): void => {
    state.refresh(() => stateDocument(presence.status()));
    glance.refresh(() => seen.now());
    const { notifier } = late;
    if (notifier) kept.refresh(() => notifier.kept());
  };
  ending.add(parts.troubles.changed.on(showState));
  ending.add(queueFile.watch(showState));
  const fileTroubles = (): string[] => [parts.troubles.reasons, queueFile.trouble ?? []].flat();
  return { identity, presence, showState, troubles, fileTroubles };
}

/** What the gateway before this one counted. */
function edgesIn(glance: string): AgentEdges | undefined {
  const { edges } = readObjectIfAny(glance) ?? {};
  return typeof (edges as Partial<AgentEdges> | undefined)?.turn_ended === 'number'
    ? (edges as AgentEdges)
    : undefined;
}

/** For a gateway whose notifier does not exist yet. */
const NO_MAIL = { open_mail: null, wakes: { on: false, count: 0, last_at_utc: null, held_back: null } };

type Supervised = GatewayParts & { on: ControlDependencies; supervise: ReturnType<typeof supervisor> };

function createNotifier(
  config: GatewayConfig,
  parts: Supervised & { showState: () => void; serverReportsMail: () => boolean },
  ending: Ending,
) {
  const { on, db, turns, log, hold, supervise, showState, serverReportsMail } = parts;
  const mail = new MailAccess(config.mailboxBinding, config.openMailbox, serverReportsMail);
  ending.add(() => mail.close());
  const notifier = new Notifier({
    ...on,
    db,
    mail,
    turns,
    hold,
    log,
    prompt: wakePrompt(config, parts),
    wake: () => {
      showState();
      notify.wake();
    },
    trouble: () => notify.trouble,
  });
  const notify: Loop = supervise('notifier', async () => {
    const next = await turns.during('mail', notifier.pass);
    showState();
    return next;
  });
  ending.add(() => notify.stop());
  return { mail, notifier, notify };
}

/**
 * Sends outgoing mail to a fleet server, and fetches mail for a linked mailbox of this host. Sleeps while there is
 * none.
 */
function createOutbox(
  mail: MailAccess,
  { supervise, serverReportsMail }: Pick<Supervised, 'supervise'> & { serverReportsMail: () => boolean },
  ending: Ending,
): Loop {
  const outbox = supervise('outbox', async () => {
    if (!mail.mayWait) return 'idle';
    if (!mail.isRemote) {
      await mail.watch();
      serverReportsMail();
    }
    await (await mail.mailbox()).outbox?.flush();
    return 'idle';
  });
  ending.add(() => outbox.stop());
  ending.add(mail.held.on(() => outbox.wake()));
  ending.add(mail.changed.on(() => !mail.isRemote && mail.mayWait && outbox.wake()));
  return outbox;
}

/** Reports answers that are late. Mail that cannot be read is the notifier's trouble. */
function createWaits(
  mail: MailAccess,
  { clock, supervise }: Pick<Supervised, 'supervise'> & { clock: Clock },
  ending: Ending,
): Loop {
  const waits = supervise('waits', async () => {
    if (!mail.isBound || mail.isRemote) return 'idle';
    const next = await mail
      .mailbox()
      .then((mailbox) => mailbox.waits?.reportOverdue())
      .catch(() => undefined);
    return next === undefined ? 'idle' : Math.max(100, untilWall(clock, Date.parse(next)));
  });
  ending.add(() => waits.stop());
  ending.add(mail.changed.on(() => waits.wake()));
  return waits;
}

function createReminders({ on, pause, turns, log, db, supervise }: Supervised, stopping: AbortSignal) {
  const reminders = new Reminders({
    ...on,
    pause,
    turns,
    log,
    store: new ReminderStore(db),
    stopping,
    blockedBy: () => on.presence.blockedBy(),
    wake: () => remind.wake(),
  });
  const remind: Loop = supervise('reminders', () => turns.during('reminders', reminders.pass));
  return { reminders, remind };
}

/** Where the agent's mail and tools are served; undefined if they are not. */
function servedAt({ host }: GatewayConfig, { port }: GatewayParts): string | undefined {
  return servesMail(host) ? `http://${host}:${port}` : undefined;
}

/** Checked for each instance of the tool: what it was passed does not change while it runs. */
function toolsLost(
  config: GatewayConfig,
  parts: GatewayParts,
): () => Pick<AgentTools, 'elsewhere' | 'missing'> {
  let asked: (AgentTools & { instanceId: string | null }) | undefined;
  return () => {
    const { instanceId } = parts.surface.observation();
    if (asked?.instanceId !== instanceId)
      asked = { instanceId, ...config.agentTools(servedAt(config, parts), instanceId) };
    return asked!;
  };
}

/** The prompt that wakes the agent: the means that work for this agent come first. */
function wakePrompt(config: GatewayConfig, parts: GatewayParts): NotifierDependencies['prompt'] {
  return ({ mode, wake_text, announce, senders: addresses }) => {
    // An address that needs a token is useless to the reader of the prompt; commands pass it themselves.
    const baseUrl = servedAt(config, parts);
    const command = config.mailCommand;
    const doors = baseUrl !== undefined && parts.door.accounts.areKnown ? { baseUrl } : { command };
    const { mail: tools } = config.agentTools(baseUrl, parts.surface.observation().instanceId);
    const { text, problem } = config.wakeTemplate(tools ? wake_text : 'full');
    const senders = WAKE_ANNOUNCEMENTS[announce].senders
      ? senderNames(addresses, config.registeredNames?.() ?? new Map())
      : undefined;
    const skills = config.skills();
    const facts = { mode, tool: config.session.tool, tools, command, doors, skills, senders };
    const leads_with = tools ? 'tools' : skills.process && 'baseUrl' in doors ? 'skill' : 'command';
    return { text: renderWakePrompt(text, facts), problem, leads_with };
  };
}
