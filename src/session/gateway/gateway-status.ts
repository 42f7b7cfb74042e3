import { isRouseError, RouseError } from '../../base/index.ts';
import { GatewayClient } from '../../client/index.ts';
import { VARIABLE } from '../../wire/houmao/index.ts';
import type { Target } from '../find.ts';
import { askFleet, fleetService } from '../fleet.ts';
import { followSession } from '../live-sessions.ts';
import {
  anyBinding,
  liveBindings,
  offlineDocument,
  readStatus,
  type StatusDocument,
  sameBindings,
} from '../records/gateway-documents.ts';
import {
  type GatewayLife,
  probeGateway,
  type RecordedGateway,
  restartWords,
  whyDown,
} from '../records/live-gateway.ts';
import { type ManifestFacts, mailboxOf } from '../records/manifest-facts.ts';
import { leaseIsOld, readRecord } from '../records/registry-read.ts';
import { readToken, type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import { seenFromOutside } from '../records/standing-from-files.ts';
import { absentStanding } from '../roster.ts';
import type { SessionContext } from '../session-context.ts';
import { holderOf, type SessionTmux, tmuxOf } from '../session-tmux.ts';

export interface GatewayReport {
  status: StatusDocument;
  /** What was found and fixed, for people. */
  notes: string[];
}

/** The status of an agent's gateway, from here or from a fleet server. A missing gateway is a result, not an error. */
export async function gatewayStatus(context: SessionContext, target: Target): Promise<GatewayReport> {
  if (target.kind === 'local') return localStatus(context, target.facts);
  try {
    await fleetService(target);
  } catch (error) {
    if (!target.facts) throw error;
    return seenHere(context, target.facts, error);
  }
  const status = await askFleet(target, 'agents.gateway.status', { agent_ref: target.agentRef });
  return { status, notes: [] };
}

/**
 * For a session whose server cannot be reached. A live gateway reports its own status; otherwise the error gets what is
 * visible from this host.
 */
async function seenHere(
  context: SessionContext,
  facts: ManifestFacts,
  error: unknown,
): Promise<GatewayReport> {
  if (!isRouseError(error) || error.facts['cause'] !== 'pair_unreachable') throw error;
  const paths = sessionPaths(facts.root);
  const token = readToken(paths, context.env);
  const [{ variables }, found] = await Promise.all([
    lookAtSession(context, facts),
    probeGateway(paths, token),
  ]);
  const live = found.life === 'live' ? await liveStatus(found.gateway, token) : undefined;
  if (live) return { status: live, notes: [`${error.message}; this status is from its gateway`] };
  const { life } = found;
  const session = variables === undefined ? 'lost' : 'running';
  const gateway = life === 'none' || life === 'dead' ? 'not_attached' : life;
  const seen = session === 'lost' ? 'its tmux session is gone' : `its tmux session lives, gateway ${gateway}`;
  throw new RouseError(error.code, `${error.message}; on this host, ${seen}`, {
    ...(error.hint !== undefined && { hint: error.hint }),
    facts: { ...error.facts, seen_here: { session, gateway } },
    cause: error,
  });
}

/**
 * Live only if the recorded process runs and responds to `/health` with the recorded instance id. The published variables
 * are corrected accordingly. So a gateway whose starter was killed before it could publish is found, and one that died
 * is never reported as healthy.
 */
export async function localStatus(context: SessionContext, given: ManifestFacts): Promise<GatewayReport> {
  const paths = sessionPaths(given.root);
  const tmux = tmuxOf(context, given);
  const token = readToken(paths, context.env);
  const [life, seen] = await Promise.all([
    probeGateway(paths, token),
    lookAtSession(context, given),
    renewOldLease(context, given),
  ]);
  const { facts, variables } = seen;
  if (life.life === 'live') {
    const status = await liveStatus(life.gateway, token);
    if (status) {
      const published = await publishIfMissing(tmux, facts, paths, life, variables);
      const live = await publishAnswering(context, facts, status, life.gateway);
      const restarted = restartWords(paths);
      const standing =
        status.standing &&
        seenFromOutside(status.standing, paths, { agentName: facts.agentName, mailbox: mailboxOf(facts) });
      return {
        status: { ...status, ...(standing && { standing }), tmux_session_name: facts.tmuxSessionName },
        notes: [...published, ...live, ...(restarted ? [restarted] : [])],
      };
    }
  }
  const notes = variables === undefined ? [`tmux session "${facts.tmuxSessionName}" is gone`] : [];
  const offline = async (): Promise<StatusDocument> => {
    const standing = await absentStanding(context, facts);
    return { ...offlineDocument(paths, facts), ...(standing && { standing }) };
  };
  if (life.life === 'restarting')
    return { status: await offline(), notes: [...notes, `the gateway's ${life.reason}`] };
  const down = whyDown(paths);
  if (down) notes.push(down.message);
  if (isOffline(life, paths, variables)) return { status: await offline(), notes };
  const { clearStale } = await import('./publish.ts');
  const cleared = await clearStale(context, facts);
  return { status: await offline(), notes: [...notes, ...cleared] };
}

/** One request if the session has its recorded name; a second one finds it under another name. */
async function lookAtSession(
  context: SessionContext,
  given: ManifestFacts,
): Promise<{ facts: ManifestFacts; variables: Map<string, string> | undefined }> {
  const tmux = tmuxOf(context, given);
  const variables = await tmux.environment(holderOf(given));
  if (variables?.get(VARIABLE.manifestPath) === given.path) return { facts: given, variables };
  const { facts, lives } = await followSession(context, given);
  if (!lives) return { facts, variables: undefined };
  if (facts.tmuxSessionName === given.tmuxSessionName) return { facts, variables };
  return { facts, variables: await tmux.environment(holderOf(facts)) };
}

/** A status request renews the lease of the agent. Nothing else does for a session without a gateway. */
async function renewOldLease({ settings, clock }: SessionContext, facts: ManifestFacts): Promise<void> {
  const record = readRecord(settings.registryDir, facts.agentId);
  if (!record || record === 'malformed' || !leaseIsOld(record, clock.now().getTime())) return;
  const { renewLease } = await import('../records/registry.ts');
  await renewLease(settings.registryDir, facts, clock);
}

/** Undefined if it died between the two requests. */
async function liveStatus(
  { host, port }: RecordedGateway,
  token: string | undefined,
): Promise<StatusDocument | undefined> {
  try {
    return await new GatewayClient({ host, port, token }).status();
  } catch (error) {
    if (isRouseError(error) && error.code === 'unavailable') return undefined;
    throw error;
  }
}

async function publishIfMissing(
  tmux: SessionTmux,
  facts: ManifestFacts,
  paths: SessionPaths,
  life: Extract<GatewayLife, { life: 'live' }>,
  variables: Map<string, string> | undefined,
): Promise<string[]> {
  const wanted = liveBindings(paths, life.gateway);
  if (variables === undefined || sameBindings(variables, wanted)) return [];
  await tmux.setEnvironment(holderOf(facts), wanted);
  return ['its address was published in the tmux session again'];
}

/** A gateway that was published as offline responds again. */
async function publishAnswering(
  context: SessionContext,
  facts: ManifestFacts,
  status: StatusDocument,
  gateway: RecordedGateway,
): Promise<string[]> {
  const paths = sessionPaths(facts.root);
  if (readStatus(paths)['gateway_health'] !== 'not_attached') return [];
  const { writeLive } = await import('./publish.ts');
  await writeLive(context, facts, status, gateway);
  return ['it answers again, and is reported as live'];
}

/** Nothing is recorded or published: the normal state of a session that is not attached. */
function isOffline(
  life: GatewayLife,
  paths: SessionPaths,
  variables: Map<string, string> | undefined,
): boolean {
  const published = variables !== undefined && anyBinding(variables);
  return life.life === 'none' && !published && readStatus(paths)['gateway_health'] === 'not_attached';
}
