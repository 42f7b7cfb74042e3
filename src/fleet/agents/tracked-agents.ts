import { forServers } from '../../session/index.ts';
import type { AgentsConfig } from './agents-config.ts';
import type { Registrations } from './registrations.ts';
import type { TrackedAgent } from './tracked-agent.ts';

/**
 * The agents of this host that this server may speak for: those with a fresh registry record, except those whose manifest
 * gives them to another server, or to this one before their registration is complete. Read anew each time: the registry
 * is shared with the command line.
 */
export async function trackedAgents(
  { session }: AgentsConfig,
  registrations: Registrations,
): Promise<TrackedAgent[]> {
  const { readRegistry, tryManifestFacts } = await forServers();
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
  return backend === 'houmao_server_rest' || serverBaseUrl !== undefined ? 'server' : 'host';
}
