import type { MiddlewareHandler } from 'hono';
import {
  type Clock,
  conflict,
  createLog,
  Ending,
  ensurePrivateDirectory,
  type FileLock,
  FileTroubles,
  type Log,
  type Loop,
  messageOf,
  newUuid,
  tryLockFile,
} from '../base/index.ts';
import { openSqlite } from '../db/index.ts';
import type { ExecutionMode, TuiTimings } from '../domain/index.ts';
import { Accounts, admit, carries, createApp, type Door, isLoopback, listen } from '../http/index.ts';
import type { AgentSurface } from '../terminal/index.ts';
import type { MailboxBinding } from '../wire/index.ts';
import type { ControlDependencies } from './control/index.ts';
import {
  type DispatchDependencies,
  dispatchPass,
  ExecutionSlot,
  interruptPass,
  LanePause,
  recoverRunning,
  resumeRequest,
} from './dispatch/index.ts';
import {
  createEventLog,
  type GatewayFiles,
  gatewayFiles,
  RotatingFile,
  removeInstance,
  WrittenOnChange,
  writeInstance,
} from './files/index.ts';
import { FleetPlace } from './fleet/index.ts';
import { serveGateway } from './http/index.ts';
import { type OpenMailbox, openMailAccess, servesMail } from './mail/index.ts';
import { createNotifier, renderWakePrompt, type WakeTemplate } from './notifier/index.ts';
import { Presence } from './presence/index.ts';
import { InstanceStore, OpenedFile, RequestQueue } from './queue/index.ts';
import { recordQueueEvents } from './queue-events.ts';
import { QUEUE_FILE_MIGRATIONS } from './queue-file.ts';
import { ReminderStore, Reminders } from './reminders/index.ts';
import type { SessionFacts } from './session-facts.ts';
import { supervisor, troublesOf } from './supervise.ts';
import { Turns } from './turns/index.ts';

export interface GatewayConfig {
  gatewayRoot: string;
  session: SessionFacts;
  host: string;
  port: number;
  executionMode: ExecutionMode;
  window: { id: string; index: string; paneId: string } | null;
  /** What its surface is opened with, told in its instance record. */
  timings: TuiTimings;
  /** Demanded of whoever the kernel does not know as the owner. */
  token: string | undefined;
  /** Which accounts of this machine may connect. Default: its own and root. */
  accounts?: Accounts | undefined;
  /** How often its keeper has started it again. */
  restarts?: number | undefined;
  clock: Clock;
  /** Where log lines are shown beside the file: the gateway's own window. */
  show?: (line: string) => void;
  openSurface: (parts: { laneLock: string; log: Log }) => AgentSurface;
  openMailbox: OpenMailbox;
  /** Reads the session's mailbox binding, which may change while the gateway runs. */
  mailboxBinding: () => MailboxBinding | null | undefined;
  /** The text of a wake, with slots; read at every look, so that a user may replace it. */
  wakeTemplate: () => WakeTemplate;
  /** The command line that does with the agent's mail what its words say: `list …`. */
  mailCommand: (words: string) => string;
  skills: () => { process: boolean; comms: boolean };
}

export interface RunningGateway {
  instanceId: string;
  port: number;
  /** Resolves when the gateway has stopped, for whatever reason. */
  stopped: Promise<void>;
  /** With `handOver` the next gateway of the session gets the live reminders; without, they are lost. */
  stop(reason: string, options?: { handOver?: boolean }): Promise<void>;
}

/** Wires the rooms together, in the order in which they may fail. A start that fails undoes what it had begun. */
export async function startGateway(config: GatewayConfig): Promise<RunningGateway> {
  const ending = new Ending();
  try {
    return await start(config, ending);
  } catch (error) {
    await ending.run();
    throw error;
  }
}

async function start(config: GatewayConfig, ending: Ending): Promise<RunningGateway> {
  const { clock, session } = config;
  const files = prepareFiles(config.gatewayRoot);
  const lock = takeLock(files);
  ending.add(() => lock.release());
  const troubles = new FileTroubles(clock);
  const log = openLog(files, config, troubles, ending);
  const door: Door = { app: undefined, accounts: config.accounts ?? new Accounts() };
  const listening = await listen(door, config.host, config.port);
  ending.add(() => listening.close());

  const db = openSqlite({ file: files.queue, migrations: QUEUE_FILE_MIGRATIONS });
  ending.add(() => db.close());
  const queueFile = new OpenedFile(files.queue);
  const queue = new RequestQueue(db, clock, queueFile);
  const instances = new InstanceStore(db);
  const slot = new ExecutionSlot();
  const pause = new LanePause(clock);
  const turns = new Turns(clock);
  const events = createEventLog(files.events, clock, troubles);
  ending.add(() => events.close());
  const surface = config.openSurface({ laneLock: files.laneLock, log });
  ending.add(() => surface.close());
  await surface.start();

  const identity = { ...config, ...session, port: listening.port };
  let fleet: FleetPlace | undefined;
  let loops: readonly Loop[] = [];
  const presence = new Presence({
    ...{ surface, queue, slot, instances, identity },
    fleet: () => fleet?.view,
    troubles: () => troublesOf(loops),
  });
  const state = new WrittenOnChange(files.state, clock, troubles);
  ending.add(() => state.end(presence.offline()));
  const supervise = supervisor(clock, log, () => state.refresh(() => presence.status()));
  const on: ControlDependencies = {
    backend: session.backend,
    surface,
    queue,
    slot,
    presence,
    instances,
    events,
    clock,
  };
  const mail = openMailAccess(config.mailboxBinding, config.openMailbox);
  ending.add(() => mail.close());
  const notifier = createNotifier({
    ...on,
    db,
    mail,
    turns,
    log,
    prompt: (mode) => {
      const { text, problem } = config.wakeTemplate();
      // A door that wants a token is none for whoever reads the prompt; commands show it by themselves.
      const doors =
        servesMail(config.host) && door.accounts.areKnown
          ? { baseUrl: `http://${config.host}:${listening.port}` }
          : { command: config.mailCommand };
      const facts = { mode, tool: session.tool, doors, skills: config.skills() };
      return { text: renderWakePrompt(text, facts), problem };
    },
    wake: () => notify.wake(),
    trouble: () => notify.trouble,
  });
  const notify: Loop = supervise('notifier', () => turns.during('mail', notifier.pass));
  ending.add(() => notify.stop());
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
  const keysPause = new LanePause(clock);
  const interrupts = supervise('interrupts', () => interruptPass({ ...dispatching, pause: keysPause }));
  ending.add(() => interrupts.stop());
  const reminders = new Reminders({
    ...on,
    pause,
    turns,
    log,
    store: new ReminderStore(db),
    stopping: stopping.signal,
    blockedBy: () => presence.blockedBy(),
    wake: () => remind.wake(),
  });
  const remind: Loop = supervise('reminders', () => turns.during('reminders', reminders.pass));
  // Until it has started: what it was handed over goes back.
  const leaving = { handOver: true };
  ending.add(() => reminders.book.close(leaving));
  ending.add(() => remind.stop());
  reminders.book.restore();
  loops = [interrupts, dispatch, remind, notify];
  const refresh = (): void => {
    state.refresh(() => presence.status());
    for (const loop of loops) loop.wake();
    fleet?.hint();
  };
  fleet = new FleetPlace(
    { ...on, db, log, changed: () => state.refresh(() => presence.status()) },
    session.sessionRoot,
    ending,
  );
  ending.add(recordQueueEvents(queue, events, log));
  // Before the loops are woken: whoever looks again finds the way open.
  ending.add(
    surface.changed.on(() => {
      pause.interrupt();
      keysPause.interrupt();
    }),
  );
  ending.add(surface.changed.on(() => turns.anew()));
  ending.add(slot.changed.on(() => turns.anew()));
  ending.add(instances.changed.on(() => turns.anew()));
  ending.add(queue.entries.on(refresh));
  ending.add(slot.changed.on(refresh));
  ending.add(instances.changed.on(refresh));
  ending.add(queue.entries.on(({ stage }) => stage === 'finished' && instances.settle()));
  ending.add(surface.changed.on(refresh));
  ending.add(queue.entries.on(notifier.onLedger));
  ending.add(mail.changed.on(() => notifier.hint('mail')));
  ending.add(surface.changed.on(({ ready }) => ready && notifier.hint('ready')));
  ending.add(slot.changed.on((held) => held === undefined && notifier.hint('ready')));
  ending.add(instances.changed.on(() => notifier.hint('ready')));
  ending.add(
    turns.passedOn.on((waiters) => {
      if (waiters.includes('mail')) notifier.hint('ready');
      if (waiters.includes('reminders')) remind.wake();
    }),
  );
  const unseen = await recoverRunning(queue, surface);
  presence.instance();
  instances.inherit();
  const settle = async (): Promise<void> => {
    const open = await surface.leftovers?.settle((settled) => {
      reminders.left.settled(settled);
      const { owner, requestId: request_id, verdict, evidence } = settled;
      events.write('left_attempt_settled', { ...owner, request_id, verdict, evidence });
    });
    reminders.left.noneLeft(open);
  };
  const settleSoon = (): void =>
    void settle().catch((error: unknown) => log.error('settling failed', { cause: messageOf(error) }));
  if (surface.leftovers) ending.add(surface.leftovers.settled.on(settleSoon));
  if (unseen.length === 0) await settle();

  const instanceId = newUuid();
  const app = createApp({ host: config.host, log });
  app.use(admission(config, door.accounts));
  const fileTroubles = (): string[] => [
    ...troubles.reasons,
    ...(queueFile.trouble ? [queueFile.trouble] : []),
  ];
  const { host } = config;
  serveGateway(app, { ...on, instanceId, loops, fileTroubles, reminders, mail, host, notifier });
  writeInstance(files, { ...identity, instanceId, ...presence.instance(), startedAt: clock.now() });
  ending.add(() => removeInstance(files));
  reminders.book.takenOver();
  leaving.handOver = false;
  refresh();
  for (const loop of loops) loop.start();
  fleet.start();
  door.app = app;
  for (const row of unseen) void resumeRequest(row, dispatching).finally(settleSoon);
  ending.add(() => stopping.abort());
  // A headless turn outlives the gateway: it is let go of first, so that nobody waits for its end.
  if (surface.kind === 'headless') ending.add(() => surface.close());
  const again = config.restarts ? { restarts: config.restarts } : {};
  log.info('gateway started', { host: config.host, port: listening.port, instance: instanceId, ...again });
  return runUntilStopped({ instanceId, port: listening.port, surface, log, ending, leaving });
}

/** Beyond loopback nothing is open, not even its health. */
function admission({ host, token }: GatewayConfig, accounts: Accounts): MiddlewareHandler {
  return admit({
    host,
    accounts,
    hasToken: (context) => token !== undefined && carries(context, token),
    tokenHint:
      'send "Authorization: Bearer <token>"; the token is in the file named by HOUMAO_GATEWAY_TOKEN_FILE',
    ...(!isLoopback(host) && { open: () => false }),
  });
}

function prepareFiles(gatewayRoot: string): GatewayFiles {
  const files = gatewayFiles(gatewayRoot);
  for (const directory of [files.root, files.runDirectory, files.logDirectory])
    ensurePrivateDirectory(directory);
  return files;
}

function takeLock(files: GatewayFiles): FileLock {
  const lock = tryLockFile(files.lock);
  if (lock) return lock;
  throw conflict('a gateway is already running for this session', {
    hint: 'see "rouse agents gateway status"',
    facts: { cause: 'locked' },
  });
}

function openLog(
  files: GatewayFiles,
  { clock, show }: GatewayConfig,
  troubles: FileTroubles,
  ending: Ending,
): Log {
  const file = new RotatingFile(files.log, { maxBytes: 8 * 1024 * 1024, keep: 2, troubles });
  ending.add(() => file.close());
  return createLog({
    clock,
    write(line) {
      file.append(line);
      show?.(line);
    },
  });
}

interface Started {
  instanceId: string;
  port: number;
  surface: AgentSurface;
  log: Log;
  ending: Ending;
  leaving: { handOver: boolean };
}

/** Stops when asked, and by itself when the tmux session is gone. */
function runUntilStopped({ instanceId, port, surface, log, ending, leaving }: Started): RunningGateway {
  let stopped: () => void = () => {};
  const whenStopped = new Promise<void>((resolve) => {
    stopped = resolve;
  });
  let reasonGiven = false;
  const stop: RunningGateway['stop'] = async (reason, { handOver = false } = {}) => {
    if (!reasonGiven) {
      log.info('gateway stopping', { reason });
      leaving.handOver = handOver;
    }
    reasonGiven = true;
    await ending.run();
    stopped();
  };
  ending.add(
    surface.changed.on((observation) => {
      if (observation.sessionLost) void stop('the tmux session is gone');
    }),
  );
  return { instanceId, port, stopped: whenStopped, stop };
}
