import type { Ending, Loop } from '../base/index.ts';
import type { ControlDependencies } from './control/index.ts';
import { type DispatchDependencies, dispatchPass, interruptPass } from './dispatch/index.ts';
import { WrittenOnChange } from './files/index.ts';
import type { FleetPlace } from './fleet/index.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { MailAccess, servesMail } from './mail/index.ts';
import { Notifier, type NotifierDependencies, renderWakePrompt } from './notifier/index.ts';
import type { GatewayParts } from './open-parts.ts';
import { Presence } from './presence/index.ts';
import { ReminderStore, Reminders } from './reminders/index.ts';
import { supervisor, troublesOf } from './supervise.ts';

export type GatewayLoops = ReturnType<typeof createLoops>;

/** Known only when everything else is there. */
interface Late {
  fleet: FleetPlace | undefined;
  loops: readonly Loop[];
}

/** Who fills the queue and who empties it, each with its loop. Nothing runs yet. */
export function createLoops(config: GatewayConfig, parts: GatewayParts, ending: Ending) {
  const { clock, session } = config;
  const { surface, queue, slot, instances, events, log, pause, keysPause } = parts;
  const late: Late = { fleet: undefined, loops: [] };
  const { identity, presence, showState } = createPresence(config, parts, late, ending);
  const supervise = supervisor(clock, log, showState);
  const backend = session.backend;
  const on: ControlDependencies = { backend, surface, queue, slot, presence, instances, events, clock };
  const { mail, notifier, notify } = createNotifier(config, { ...parts, on, supervise }, ending);
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
  const { reminders, remind } = createReminders({ ...parts, on, supervise }, stopping.signal);
  late.loops = [interrupts, dispatch, remind, notify];
  return {
    on,
    identity,
    presence,
    showState,
    mail,
    notifier,
    dispatching,
    stopping,
    reminders,
    remind,
    late,
  };
}

/** What the gateway says of itself, and the file that holds it. */
function createPresence(config: GatewayConfig, parts: GatewayParts, late: Late, ending: Ending) {
  const identity = { ...config, ...config.session, port: parts.port };
  const presence = new Presence({
    ...parts,
    identity,
    fleet: () => late.fleet?.view,
    troubles: () => troublesOf(late.loops),
  });
  const state = new WrittenOnChange(parts.files.state, config.clock, parts.troubles);
  ending.add(() => state.end(presence.offline()));
  return { identity, presence, showState: (): void => state.refresh(() => presence.status()) };
}

type Supervised = GatewayParts & { on: ControlDependencies; supervise: ReturnType<typeof supervisor> };

function createNotifier(config: GatewayConfig, parts: Supervised, ending: Ending) {
  const { on, db, turns, log, supervise } = parts;
  const mail = new MailAccess(config.mailboxBinding, config.openMailbox);
  ending.add(() => mail.close());
  const notifier = new Notifier({
    ...on,
    db,
    mail,
    turns,
    log,
    prompt: wakePrompt(config, parts),
    wake: () => notify.wake(),
    trouble: () => notify.trouble,
  });
  const notify: Loop = supervise('notifier', () => turns.during('mail', notifier.pass));
  ending.add(() => notify.stop());
  return { mail, notifier, notify };
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

/** What is typed to wake the agent in a mode. */
function wakePrompt(config: GatewayConfig, { door, port }: GatewayParts): NotifierDependencies['prompt'] {
  return (mode) => {
    const { text, problem } = config.wakeTemplate();
    // A door that wants a token is none for whoever reads the prompt; commands show it by themselves.
    const doors =
      servesMail(config.host) && door.accounts.areKnown
        ? { baseUrl: `http://${config.host}:${port}` }
        : { command: config.mailCommand };
    const facts = { mode, tool: config.session.tool, doors, skills: config.skills() };
    return { text: renderWakePrompt(text, facts), problem };
  };
}
