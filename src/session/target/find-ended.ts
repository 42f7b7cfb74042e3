import { bareAgentName } from '../../domain/index.ts';
import { type ManifestFacts, tryManifestFacts } from '../records/manifest-facts.ts';
import type { SessionContext } from '../session-context.ts';
import { manifests } from './publish-forgotten.ts';

/**
 * The newest session of an agent that no longer runs: stopping leaves its root, for whoever wants to know what happened.
 * Undefined when there is none.
 */
export function findEnded(
  { settings }: SessionContext,
  { agentName, agentId }: { agentName?: string | undefined; agentId?: string | undefined },
): ManifestFacts | undefined {
  const name = agentName === undefined ? undefined : bareAgentName(agentName.trim());
  return manifests(settings.runtimeDir)
    .map((file) => tryManifestFacts(file))
    .filter((facts) => facts !== undefined)
    .filter((facts) => facts.agentName === name || facts.agentId === agentId)
    .sort((a, b) => createdAt(b).localeCompare(createdAt(a)))[0];
}

function createdAt({ document }: ManifestFacts): string {
  return String(document['created_at_utc'] ?? '');
}
