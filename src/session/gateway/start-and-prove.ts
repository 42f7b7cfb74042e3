import {
  conflict,
  crashPoint,
  isRouseError,
  newUuid,
  type RouseError,
  readIfExists,
  unavailable,
} from '../../base/index.ts';
import { ANY_PORT, HAND_OVER_SIGNAL } from '../../domain/index.ts';
import { readToken } from '../records/gateway-token.ts';
import { probeGateway, type RecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { tmuxOf } from '../session-tmux.ts';
import { restoreOffline } from '../target/clear-stale.ts';
import { type AttemptOutcome, waitForAttempt } from './attach-attempt.ts';
import type { AttachPlan } from './attach-plan.ts';
import { endStarted } from './end-gateway.ts';
import { forgetStarting, noteStarting } from './half-started.ts';
import { type GatewayStart, type StartedGateway, startGateway } from './start-gateway.ts';

const READY_TIMEOUT_MS = 10_000;

/** A port that was only remembered gives way to a free one; a port that was asked for does not. */
export async function startOnFreePort(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
): Promise<RecordedGateway> {
  const { listener } = plan;
  try {
    return await startAndProve(context, facts, plan, listener.port);
  } catch (error) {
    const busy = isRouseError(error) && error.facts['cause'] === 'port_in_use';
    if (!busy || listener.portIsHard || listener.port === ANY_PORT) throw error;
    return startAndProve(context, facts, plan, ANY_PORT);
  }
}

/** At exactly this port. */
export async function startAndProve(
  context: SessionContext,
  facts: ManifestFacts,
  plan: AttachPlan,
  port: number,
): Promise<RecordedGateway> {
  const { mode, timings, guests, listener } = plan;
  const start: GatewayStart = { attemptId: newUuid(), host: listener.host, port, mode, timings, guests };
  context.progress?.('starting the gateway');
  crashPoint('session.attach.before_start');
  const started = await startGateway(context, facts, start);
  const paths = sessionPaths(facts.root);
  if (!started.hosted) noteStarting(paths, started.identity);
  crashPoint('session.attach.started');
  try {
    const said = await waitForAttempt(context, paths, start.attemptId, started.identity, READY_TIMEOUT_MS);
    const others = said.outcome === 'failed' && said.code === 'locked';
    if (said.outcome !== 'ready' && !others) throw failure(facts, said, start);
    if (others) await endStarted(paths, started, context.clock);
    return await provenGateway(context, facts, said);
  } catch (error) {
    await takeBack(context, facts, started);
    throw error;
  } finally {
    forgetStarting(paths);
  }
}

/**
 * The gateway is believed when it answers with the instance id it recorded. When another one held the lock (its
 * attach was killed half-way), that one is waited for in the same way.
 */
async function provenGateway(
  context: SessionContext,
  facts: ManifestFacts,
  said: AttemptOutcome,
): Promise<RecordedGateway> {
  const paths = sessionPaths(facts.root);
  const deadline = context.clock.monotonic() + READY_TIMEOUT_MS;
  let last = 'it recorded no instance';
  do {
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live' && (said.outcome !== 'ready' || life.gateway.instanceId === said.instanceId)) {
      return life.gateway;
    }
    if (life.life !== 'none' && life.life !== 'live') last = life.reason;
    await new Promise<void>((resolve) => context.clock.after(50, resolve));
  } while (context.clock.monotonic() < deadline && !context.signal?.aborted);
  throw unavailable(`the gateway started but was not seen to be healthy: ${last}`, {
    hint: `see ${paths.log}`,
    facts: { cause: 'health_timeout', last_probe: last },
  });
}

/** Ends exactly what this attempt started, and puts the offline state back unless somebody else's gateway lives. */
async function takeBack(
  context: SessionContext,
  facts: ManifestFacts,
  started: StartedGateway,
): Promise<void> {
  const paths = sessionPaths(facts.root);
  await endStarted(paths, started, context.clock, { ask: HAND_OVER_SIGNAL });
  if (started.windowId !== undefined) {
    await tmuxOf(context, facts).killWindow(facts.tmuxSessionName, started.windowId);
  }
  const life = await probeGateway(paths, readToken(paths, context.env));
  if (life.life === 'none' || life.life === 'dead') await restoreOffline(context, facts);
}

function failure(facts: ManifestFacts, said: AttemptOutcome, start: GatewayStart): RouseError {
  const log = sessionPaths(facts.root).log;
  if (said.outcome === 'failed' && said.code === 'port_in_use') {
    return conflict(`port ${start.port} on ${start.host} is already in use`, {
      hint: 'choose another with --gateway-port, or stop what listens there',
      facts: { cause: 'port_in_use', gateway_host: start.host, gateway_port: start.port },
    });
  }
  if (said.outcome === 'failed') {
    return unavailable(`the gateway did not start: ${said.message}`, {
      hint: `see ${log}`,
      facts: { cause: said.code },
    });
  }
  const words = (readIfExists(sessionPaths(facts.root).errors) ?? '').trim().split('\n').slice(-5).join('\n');
  if (said.outcome === 'ended') {
    return unavailable(`the gateway ended before it was ready${words ? `: ${words}` : ''}`, {
      hint: `see ${log}`,
      facts: { cause: 'ended_early' },
    });
  }
  return unavailable(`the gateway said nothing for ${READY_TIMEOUT_MS / 1000} s`, {
    hint: `see ${log}`,
    facts: { cause: 'start_timeout' },
  });
}
