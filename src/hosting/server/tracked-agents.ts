import type { AgentsConfig } from '../../fleet/hosting.ts';
import { fleetActions } from '../../session/index.ts';
import { BACKEND } from '../../wire/houmao/index.ts';
import type { Registrations } from './registrations.ts';
import type { TrackedAgent } from './tracked-agent.ts';

/**
 * Lists the agents of this host that this server may speak for: those with a fresh registry record, except those whose
 * manifest names another server, or this one before their registration is complete. Reads the registry each time,
 * because the command line shares it.
 */
export async function trackedAgents(
  { session }: AgentsConfig,
  registrations: Registrations,
): Promise<TrackedAgent[]> {
  const { readRegistry, tryManifestFacts } = await fleetActions();
  const { fresh } = readRegistry(session.settings.registryDir, session.clock.now().getTime());
  return fresh.flatMap((record): TrackedAgent[] => {
    const facts = tryManifestFacts(record.runtime.manifest_path);
    if (!facts || facts.agentId !== record.agent_id) return [];
    const owner = ownerOf(facts.backend, facts.serverBaseUrl);
    if (owner === 'host') return [{ trackedId: facts.sessionId, owner, facts }];
    const known = registrations.isOurs(facts) && registrations.has(facts);
    return known ? [{ trackedId: facts.sessionId, owner, facts }] : [];
  });
}

function ownerOf(backend: string, serverBaseUrl: string | undefined): 'server' | 'host' {
  return backend === BACKEND.server || serverBaseUrl !== undefined ? 'server' : 'host';
}
