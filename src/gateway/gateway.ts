import type { Hono, MiddlewareHandler } from 'hono';
import { Ending, type Log, messageOf, newUuid } from '../base/index.ts';
import { type Accounts, admit, carries, createApp, isLoopback } from '../http/index.ts';
import type { AgentSurface } from '../terminal/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';
import { CALLER_HEADER, GATEWAY_ROUTES } from '../wire/index.ts';
import { connectRooms } from './connect-rooms.ts';
import { followLeftTurn, recoverRunning, resumeRequest } from './dispatch/index.ts';
import { removeInstance, writeInstance } from './files/index.ts';
import { type AskOwn, type CallRecord, FleetPlace } from './fleet/index.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { createLoops, type GatewayLoops } from './gateway-loops.ts';
import { isAgent, serveGateway } from './http/index.ts';
import { type GatewayParts, openParts } from './open-parts.ts';

export interface RunningGateway {
  instanceId: string;
  port: number;
  /** Resolves when the gateway has stopped, for any reason. */
  stopped: Promise<void>;
  /** With `handOver` the session's next gateway gets the live reminders; otherwise they are lost. */
  stop(reason: string, options?: { handOver?: boolean }): Promise<void>;
}

/** Connects the rooms, in the order in which they may fail. A failed start undoes what it had begun. */
export async function startGateway(config: GatewayConfig): Promise<RunningGateway> {
  const ending = new Ending();
  try {
    return await start(config, ending);
  } catch (error) {
    await ending.run();
    throw error;
  }
}

/**
 * Opens the parts, creates the loops, connects them, settles what an earlier gateway left, and only then accepts
 * callers.
 */
async function start(config: GatewayConfig, ending: Ending): Promise<RunningGateway> {
  const parts = await openParts(config, ending);
  const made = createLoops(config, parts, ending);
  const { reminders, remind, late, on, showState } = made;
  // Until the start has succeeded, a hand-over goes back.
  const leaving = { handOver: true };
  ending.add(() => reminders.book.close(leaving));
  ending.add(() => remind.stop());
  reminders.book.restore();
  const { fleetHost } = config;
  const mailChanged = (): void => {
    made.mail.changed.emit();
    made.outbox.wake();
  };
  const own = new WeakSet<Request>();
  const calls = {
    askOwn: (request: Parameters<AskOwn>[0]) => askOwn(app, own, request),
    record: (facts: CallRecord) => parts.events.write('call_from_afar', facts),
  };
  const inFleet = { ...on, fleetHost, calls, db: parts.db, log: parts.log, changed: showState, mailChanged };
  late.fleet = new FleetPlace(inFleet, config.session.sessionRoot, ending);
  const { refresh } = connectRooms(parts, made, ending);
  const { unseen, settleSoon } = await settleWhatWasLeft(parts, made, ending);
  followLeftTurn(made.dispatching);

  const instanceId = newUuid();
  const app = createApp({ host: config.host, log: parts.log, wire: config.wire });
  app.use(admission(config, parts.door.accounts, own));
  const { sessionRoot } = config.session;
  serveGateway(app, {
    ...made,
    ...on,
    hold: parts.hold,
    instanceId,
    loops: late.loops,
    fileTroubles: made.fileTroubles,
    gatewayRoot: parts.files.gateway,
    host: config.host,
    sharedFiles: config.sharedFiles,
    recipientAddress: config.recipientAddress,
    sessionRoot,
  });
  ending.add(publishInstance(parts, made, instanceId));
  reminders.book.takenOver();
  leaving.handOver = false;
  refresh();
  for (const loop of late.loops) loop.start();
  made.outbox.start();
  made.waits.start();
  late.fleet.start();
  parts.door.app = app;
  for (const row of unseen) void resumeRequest(row, made.dispatching).finally(settleSoon);
  const { surface, log, port } = parts;
  ending.add(() => made.stopping.abort());
  // A headless turn outlives the gateway. It is released first, so that no one waits for its end.
  if (surface.kind === 'headless') ending.add(() => surface.close());
  const again = config.restarts ? { restarts: config.restarts } : {};
  log.info('gateway started', { host: config.host, port, instance: instanceId, ...again });
  return runUntilStopped({ instanceId, port, surface, log, ending, leaving });
}

/** Publishes which process this gateway is, and of which agent process; again when that changes. */
function publishInstance(
  { files, troubles, surface }: GatewayParts,
  { identity, presence, on }: GatewayLoops,
  instanceId: string,
): () => void {
  const own = { ...identity, instanceId, startedAt: on.clock.now() };
  let written = presence.instance();
  writeInstance(files, { ...own, ...written });
  const writer = troubles.writer(files.currentInstance, () => writeInstance(files, { ...own, ...written }));
  const stop = surface.changed.on(() => {
    const now = presence.instance();
    if (now.instance_id === written.instance_id && now.epoch === written.epoch) return;
    written = now;
    writer.write();
  });
  return () => {
    stop();
    writer.stop();
    removeInstance(files);
  };
}

/** Settles what was running when an earlier gateway ended. `unseen`: requests whose tool has not reacted yet. */
async function settleWhatWasLeft(
  { queue, surface, instances, events, log }: GatewayParts,
  { presence, reminders }: GatewayLoops,
  ending: Ending,
): Promise<{ unseen: Awaited<ReturnType<typeof recoverRunning>>; settleSoon: () => void }> {
  const unseen = await recoverRunning(queue, surface);
  presence.instance();
  instances.inherit();
  const settle = async (): Promise<void> => {
    const open = await surface.leftovers?.settle((settled) => {
      reminders.left.settled(settled);
      const { owner, requestId: request_id, verdict, evidence } = settled;
      events.write('left_attempt_settled', { ...owner, request_id, verdict, evidence });
    });
    reminders.left.endUnexplained(open);
  };
  const settleSoon = (): void =>
    void settle().catch((error: unknown) => log.error('settling failed', { cause: messageOf(error) }));
  if (surface.leftovers) ending.add(surface.leftovers.settled.on(settleSoon));
  if (unseen.length === 0) await settle();
  return { unseen, settleSoon };
}

/** Calls one of its own routes for a call that its fleet server carried, with every check except who connects. */
async function askOwn(app: Hono, own: WeakSet<Request>, { method, path, body }: Parameters<AskOwn>[0]) {
  const request = new Request(`http://127.0.0.1${path}`, {
    method,
    headers: {
      host: '127.0.0.1',
      'x-rouse': '1',
      'content-type': 'application/json',
      [CALLER_HEADER]: 'remote',
    },
    ...(body !== undefined && body !== null && method !== 'GET' && { body: JSON.stringify(body) }),
  });
  own.add(request);
  const response = await app.fetch(request);
  const text = await response.text();
  return { status: response.status, answer: text === '' ? null : (JSON.parse(text) as unknown) };
}

/** Beyond loopback nothing is open, not even its health. */
function admission(
  { host, token, session }: GatewayConfig,
  accounts: Accounts,
  own: WeakSet<Request>,
): MiddlewareHandler {
  return admit({
    host,
    accounts,
    hasToken: (context) =>
      own.has(context.req.raw) ||
      (token !== undefined && carries(context, token)) ||
      (context.req.path === GATEWAY_ROUTES.mcp.path && isAgent(context, session.sessionRoot)),
    tokenHint: `send "Authorization: Bearer <token>"; the token is in the file named by ${VARIABLE.gatewayTokenFile}`,
    ...(!isLoopback(host) && { open: () => false }),
  });
}

interface StartedGateway {
  instanceId: string;
  port: number;
  surface: AgentSurface;
  log: Log;
  ending: Ending;
  leaving: { handOver: boolean };
}

/** Stops on request, and when the tmux session is gone. */
function runUntilStopped({
  instanceId,
  port,
  surface,
  log,
  ending,
  leaving,
}: StartedGateway): RunningGateway {
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
