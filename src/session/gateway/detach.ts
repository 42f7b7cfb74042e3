import * as path from 'node:path';
import { crashPoint } from '../../base/index.ts';
import { wantGateway } from '../records/absent-gateway.ts';
import { offlineDocument, type StatusDocument } from '../records/gateway-documents.ts';
import { isKept } from '../records/keeper.ts';
import { readRecordedGateway } from '../records/live-gateway.ts';
import { type ManifestFacts, readManifestFacts } from '../records/manifest-facts.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { restoreOffline } from '../target/clear-stale.ts';
import { followSession } from '../target/follow-session.ts';
import { endGateway } from './end-gateway.ts';
import { endHalfStarted } from './half-started.ts';
import { withLifecycleLock } from './lifecycle-lock.ts';
import type { EndedBy } from './process-end.ts';

export interface DetachReport {
  status: StatusDocument;
  /** How the gateway ended; `already` when none ran. */
  ended: EndedBy;
  detail: string;
}

/**
 * Detaches the gateway of a session of this host. The process is asked to end and, if it does not, made to; only
 * the recorded one, verified by its start time. The session stays capable: manifest, attach authority and desired
 * configuration are kept. `until`: it comes back with the host.
 */
export function detachLocal(
  context: SessionContext,
  manifestPath: string,
  { until = null }: { until?: 'host_start' | null } = {},
): Promise<DetachReport> {
  return withLifecycleLock(context, path.dirname(manifestPath), async () => {
    wantGateway(sessionPaths(path.dirname(manifestPath)), until && 'stopped');
    const { facts } = await followSession(context, readManifestFacts(manifestPath));
    return detachHoldingLock(context, facts);
  });
}

/** For actions that hold the life-cycle lock already. */
export async function detachHoldingLock(
  context: SessionContext,
  facts: ManifestFacts,
): Promise<DetachReport> {
  const paths = sessionPaths(facts.root);
  await endHalfStarted(context, paths);
  const recorded = readRecordedGateway(paths);
  const gateway = typeof recorded === 'string' ? undefined : recorded;
  const kept = isKept(paths);
  const ended = await endGateway(context, facts, gateway);
  if (gateway) crashPoint('session.detach.ended');
  await restoreOffline(context, facts);
  crashPoint('session.detach.restored');
  const detail =
    ended === 'already'
      ? kept
        ? 'the gateway had ended, and is not started again'
        : 'no gateway was running'
      : ended === 'SIGTERM'
        ? 'the gateway ended'
        : 'the gateway was killed';
  return { status: offlineDocument(paths, facts), ended, detail };
}
