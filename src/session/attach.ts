import * as path from 'node:path';
import { conflict, crashPoint, notReady, unavailable, writeJsonAtomic } from '../base/index.ts';
import { ANY_PORT } from '../domain/index.ts';
import { desiredConfigFile, parseFile } from '../wire/index.ts';
import { type AttachOptions, type AttachPlan, desiredAfter, planAttach } from './attach-plan.ts';
import { restoreOffline } from './clear-stale.ts';
import { type Followed, followSession } from './follow-session.ts';
import {
  readBootstrap,
  readDesiredConfig,
  type StatusDocument,
  writeDerivedFiles,
} from './gateway-documents.ts';
import { type GatewayReport, localStatus } from './gateway-status.ts';
import { readToken } from './gateway-token.ts';
import { endHalfStarted } from './half-started.ts';
import { withLifecycleLock } from './lifecycle-lock.ts';
import { liveBindings } from './live-bindings.ts';
import { type GatewayLife, probeGateway, type RecordedGateway } from './live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from './manifest-facts.ts';
import { readManifest } from './manifest-store.ts';
import { endProcess } from './process-end.ts';
import { publishCapability, publishRegistryRecord, registryGateway } from './publish-capability.ts';
import type { SessionContext } from './session-context.ts';
import { sessionPaths } from './session-paths.ts';
import { tmuxOf } from './session-tmux.ts';
import { startOnFreePort } from './start-and-prove.ts';

export interface AttachReport extends GatewayReport {
  alreadyAttached: boolean;
}

/**
 * Attaches a gateway to a session of this host: capability, listener, start, proof, publication, in this order.
 * A gateway that lives is left alone and reported. Whatever fails leaves the session as it was, not attached, and
 * touches nothing that somebody else started.
 */
export function attachLocal(
  context: SessionContext,
  manifestPath: string,
  options: AttachOptions,
): Promise<AttachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    const followed = await followSession(context, readManifestFacts(manifestPath));
    const facts = await publishCapability(context, manifestPath);
    readManifest(facts.root);
    requireTmuxSession(followed);
    const paths = sessionPaths(facts.root);
    await endHalfStarted(context, paths);
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live') return alreadyLive(context, facts, life, options);
    await clearAway(context, facts, life);
    const plan = planAttach(
      options,
      { env: context.env, statePath: paths.state },
      readDesiredConfig(paths),
      readBootstrap(paths),
    );
    const gateway = await startOnFreePort(context, facts, plan);
    return { ...(await publishLive(context, facts, gateway, plan)), alreadyAttached: false };
  });
}

function requireTmuxSession({ facts, lives }: Followed): void {
  if (lives) return;
  throw unavailable(`tmux session "${facts.tmuxSessionName}" of agent ${facts.agentName} is gone`, {
    hint: '"rouse agents relaunch" brings the agent back',
    facts: { cause: 'session_lost' },
  });
}

/** Live already: the same answer again. An address that was asked for and is not the one it has cannot be promised. */
async function alreadyLive(
  context: SessionContext,
  facts: ManifestFacts,
  { gateway }: Extract<GatewayLife, { life: 'live' }>,
  options: AttachOptions,
): Promise<AttachReport> {
  const otherPort = options.port !== undefined && options.port !== ANY_PORT && options.port !== gateway.port;
  const otherHost = options.host !== undefined && options.host !== gateway.host;
  if (otherPort || otherHost) {
    throw conflict(`a gateway is attached already, on ${gateway.host}:${gateway.port}`, {
      hint: 'detach it first to give it another address',
      facts: { cause: 'already_attached', gateway_host: gateway.host, gateway_port: gateway.port },
    });
  }
  const report = await localStatus(context, facts);
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  return { ...report, alreadyAttached: true, notes: ['a gateway was attached already', ...report.notes] };
}

/** A gateway that runs but does not answer is ended first: it holds the lock, and nobody can use it. */
async function clearAway(context: SessionContext, facts: ManifestFacts, life: GatewayLife): Promise<void> {
  if (life.life === 'silent') {
    const ended = await endProcess(life.gateway.identity, context.clock);
    if (ended === 'nothing') {
      throw conflict(
        `process ${life.gateway.identity.pid} holds this session's gateway and does not answer`,
        {
          hint: 'end it by hand and attach again',
          facts: { cause: 'gateway_silent', pid: life.gateway.identity.pid },
        },
      );
    }
  }
  if (life.life !== 'none') await restoreOffline(context, facts);
}

/** Only now may others find it. The port is remembered with its origin: handed out is not asked for. */
async function publishLive(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway,
  plan: AttachPlan,
): Promise<GatewayReport> {
  const paths = sessionPaths(facts.root);
  const desired = desiredAfter(readDesiredConfig(paths), plan, gateway);
  writeJsonAtomic(paths.desiredConfig, parseFile(desiredConfigFile, desired, paths.desiredConfig));
  crashPoint('session.attach.before_publish');
  writeDerivedFiles(paths, facts, gateway);
  const tmux = tmuxOf(context, facts);
  await tmux.setEnvironment(facts.tmuxSessionName, liveBindings(paths, gateway));
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  crashPoint('session.attach.published');
  const report = await localStatus(context, facts);
  requireHealthy(report.status);
  return report;
}

function requireHealthy(status: StatusDocument): void {
  if (status.gateway_health === 'healthy') return;
  throw notReady('the gateway was attached and went away again at once', {
    hint: 'see its gateway.log',
    facts: { cause: 'lost_after_attach' },
  });
}
