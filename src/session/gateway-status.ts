import { isRouseError } from '../base/index.ts';
import { GatewayClient } from '../client/index.ts';
import { offlineDocument, readStatus, type StatusDocument } from './gateway-documents.ts';
import { readToken } from './gateway-token.ts';
import { anyBinding, liveBindings, sameBindings } from './live-bindings.ts';
import { type GatewayLife, probeGateway, type RecordedGateway } from './live-gateway.ts';
import type { ManifestFacts } from './manifest-facts.ts';
import { pairGateway, pairService } from './pair-server.ts';
import { leaseIsOld, readRecord } from './registry-read.ts';
import type { Target } from './resolve-target.ts';
import type { SessionContext } from './session-context.ts';
import { type SessionPaths, sessionPaths } from './session-paths.ts';
import { SessionTmux } from './session-tmux.ts';
import { DEFAULT_SOCKET } from './tmux-socket.ts';

export interface GatewayReport {
  status: StatusDocument;
  /** What was found and what was put right, for people. */
  notes: string[];
}

/** The status of an agent's gateway, whoever owns the agent. Nobody attached is an answer, not an error. */
export async function gatewayStatus(context: SessionContext, target: Target): Promise<GatewayReport> {
  if (target.kind === 'local') return localStatus(context, target.facts);
  await pairService(target);
  return { status: (await pairGateway(target, 'status')) as StatusDocument, notes: [] };
}

/**
 * Live only when the recorded process runs and answers `/health` with the recorded instance id; the published
 * variables are brought in line with that, whichever way they are wrong. So a gateway whose starter was killed
 * before it could publish is found, and one that died is never called healthy.
 */
export async function localStatus(context: SessionContext, facts: ManifestFacts): Promise<GatewayReport> {
  const paths = sessionPaths(facts.root);
  const tmux = new SessionTmux(facts.tmuxSocket ?? DEFAULT_SOCKET, context.env);
  const token = readToken(paths, context.env);
  const [life, variables] = await Promise.all([
    probeGateway(paths, token),
    tmux.environment(facts.tmuxSessionName),
    renewOldLease(context, facts),
  ]);
  if (life.life === 'live') {
    const status = await liveStatus(life.gateway, token);
    if (status) {
      const notes = await publishIfMissing(tmux, facts, paths, life, variables);
      return { status, notes };
    }
  }
  const notes = variables === undefined ? [`tmux session "${facts.tmuxSessionName}" is gone`] : [];
  if (isOffline(life, paths, variables)) return { status: offlineDocument(paths, facts), notes };
  const { clearStale } = await import('./clear-stale.ts');
  return { status: offlineDocument(paths, facts), notes: [...notes, ...(await clearStale(context, facts))] };
}

/** Whoever is asked after stays in the registry: nobody else renews the lease of a session without a gateway. */
async function renewOldLease({ settings, clock }: SessionContext, facts: ManifestFacts): Promise<void> {
  const record = readRecord(settings.registryDir, facts.agentId);
  if (!record || record === 'malformed' || !leaseIsOld(record, clock.now().getTime())) return;
  const { renewLease } = await import('./registry.ts');
  await renewLease(settings.registryDir, facts, clock);
}

/** Undefined when it died between the two questions. */
async function liveStatus(
  { host, port }: RecordedGateway,
  token: string | undefined,
): Promise<StatusDocument | undefined> {
  try {
    return (await new GatewayClient({ host, port, token }).status()) as StatusDocument;
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
  await tmux.setEnvironment(facts.tmuxSessionName, wanted);
  return ['its address was published in the tmux session again'];
}

/** Nothing recorded, nothing published, nothing claimed: the ordinary state of a session that is not attached. */
function isOffline(
  life: GatewayLife,
  paths: SessionPaths,
  variables: Map<string, string> | undefined,
): boolean {
  const published = variables !== undefined && anyBinding(variables);
  return life.life === 'none' && !published && readStatus(paths)['gateway_health'] === 'not_attached';
}
