import * as path from 'node:path';
import { commandLine, conflict, unavailable, unsupported, utcStamp } from '../../base/index.ts';
import { ANY_PORT, relaunchCommand } from '../../domain/index.ts';
import { hostOf } from '../host/end-in-host.ts';
import { hostDirectory } from '../host/start-host.ts';
import { firstExecutionMode, readBootstrap, readDesiredConfig } from '../records/gateway-documents.ts';
import { readToken } from '../records/gateway-token.ts';
import { isUnkept } from '../records/keeper.ts';
import { type GatewayLife, probeGateway } from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { readManifest } from '../records/manifest-store.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { restoreOffline } from '../target/clear-stale.ts';
import { type Followed, followSession } from '../target/follow-session.ts';
import { publishCapability, publishRegistryRecord, registryGateway } from '../target/publish-capability.ts';
import { type AttachOptions, planAttach, planChange, planOf } from './attach-plan.ts';
import { detachHoldingLock } from './detach.ts';
import { endForGood } from './end-gateway.ts';
import { changesAsked, type GatewayChange } from './gateway-changes.ts';
import { type GatewayReport, localStatus } from './gateway-status.ts';
import { endHalfStarted } from './half-started.ts';
import { withLifecycleLock } from './lifecycle-lock.ts';
import { publishLive, rememberPlan } from './publish-live.ts';
import { restartGateway } from './restart-gateway.ts';
import { startOnFreePort } from './start-and-prove.ts';

export interface AttachReport extends GatewayReport {
  /** One lived before. */
  alreadyAttached: boolean;
  /** What was changed by restarting it; nothing when it was left alone or is new. */
  restarted: GatewayChange[];
}

/**
 * Attaches a gateway to a session of this host: capability, listener, start, proof, publication, in this order.
 * A gateway that lives and runs as asked is left alone and reported; one that does not is restarted. Whatever fails leaves the session as it was, not attached, and
 * touches nothing that somebody else started.
 */
export function attachLocal(
  context: SessionContext,
  manifestPath: string,
  options: AttachOptions,
): Promise<AttachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    refuseForeground(readManifestFacts(manifestPath), options);
    const followed = await followSession(context, readManifestFacts(manifestPath));
    const facts = await publishCapability(context, manifestPath);
    readManifest(facts.root);
    requireTmuxSession(followed);
    const paths = sessionPaths(facts.root);
    await endHalfStarted(context, paths);
    const replaced = options.freshQueue ? await replaceQueue(context, facts) : [];
    const life = await probeGateway(paths, readToken(paths, context.env));
    if (life.life === 'live') return alreadyLive(context, facts, life, options);
    await clearAway(context, facts, life);
    const plan = planAttach(
      options,
      { env: context.env, statePath: paths.state, first: firstExecutionMode(facts) },
      readDesiredConfig(paths),
      readBootstrap(paths),
    );
    const gateway = await startOnFreePort(context, facts, plan);
    const report = await publishLive(context, facts, gateway, plan);
    return { ...report, notes: [...replaced, ...report.notes], alreadyAttached: false, restarted: [] };
  });
}

/** Under the life-cycle lock; a gateway that still has the old file open is ended first. */
async function replaceQueue(context: SessionContext, facts: ManifestFacts): Promise<string[]> {
  await detachHoldingLock(context, facts);
  const { replaceLostQueue } = await import('../../gateway/offline.ts');
  const stamp = utcStamp(context.clock.now()).replace(/[-:.]/g, '');
  const done = replaceLostQueue(sessionPaths(facts.root).gateway, stamp);
  if (!done) return ['its queue file is sound, and was kept'];
  const aside = done.keptAside.length > 0 ? `; what was left of the old one is in ${done.keptAside[0]}` : '';
  return [
    `its queue is a new one, with the wakes it had and without the requests and reminders of the old one${aside}`,
  ];
}

function refuseForeground({ backend, agentName }: ManifestFacts, { mode }: AttachOptions): void {
  if (backend !== 'cao_rest' || mode !== 'tmux_auxiliary_window') return;
  throw unsupported(`CAO owns the tmux session of agent ${agentName}: a window there would be CAO's`, {
    hint: 'attach it in the background, which is the default for this agent',
    facts: { cause: 'foreground_unsupported' },
  });
}

function requireTmuxSession({ facts, lives }: Followed): void {
  if (lives) return;
  throw unavailable(`tmux session "${facts.tmuxSessionName}" of agent ${facts.agentName} is gone`, {
    hint: `"${relaunchCommand(facts.agentName)}" brings the agent back`,
    facts: { cause: 'session_lost' },
  });
}

/**
 * Live already: the same answer again, unless another mode or timing is asked for. An address that was asked for and is
 * not the one it has cannot be promised.
 */
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
  const paths = sessionPaths(facts.root);
  const running = planOf(gateway, readDesiredConfig(paths));
  const changes = changesAsked(options, running);
  const unkept = isUnkept(paths) && hostOf(paths) === undefined;
  if (changes.length > 0 || unkept) {
    const wanted = planChange(running, options);
    const report = await restartGateway(context, facts, { gateway, running, wanted, changes });
    const notes = [
      ...(unkept ? ['it had lost its keeper and was restarted with another'] : []),
      ...report.notes,
    ];
    return { ...report, notes, alreadyAttached: true, restarted: changes };
  }
  const report = await localStatus(context, facts);
  // Its starter may have been killed before it could write this.
  rememberPlan(paths, running, gateway);
  await publishRegistryRecord(context, facts, registryGateway(facts, gateway));
  const notes = ['a gateway was attached already', ...olderBuild(context, facts), ...report.notes];
  return { ...report, alreadyAttached: true, restarted: [], notes };
}

/** Each build of the program has a host of its own. */
function olderBuild(context: SessionContext, { agentName, root }: ManifestFacts): string[] {
  const host = hostOf(sessionPaths(root));
  if (host === undefined || host === hostDirectory(context, context.env)) return [];
  const words = ['detach', 'attach'].map(
    (word) => `"${commandLine`rouse agents gateway ${word} --agent-name ${agentName}`}"`,
  );
  return [`it runs in the host of another build of Rouse; ${words.join(' and ')} bring it into this one`];
}

/** A gateway that runs but does not answer is ended first: it holds the lock, and nobody can use it. So is a keeper. */
async function clearAway(context: SessionContext, facts: ManifestFacts, life: GatewayLife): Promise<void> {
  const paths = sessionPaths(facts.root);
  if (life.life === 'silent') {
    const ended = await endForGood(paths, life.gateway.identity, context.clock);
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
  await endForGood(paths, undefined, context.clock);
  if (life.life !== 'none') await restoreOffline(context, facts);
}
