import { dispatchMode, type ServingServer } from '../domain/index.ts';
import type { SessionManifest } from '../wire/index.ts';

/** The server that runs this agent's turns; undefined if this gateway runs or types them itself. */
export function servingServer({
  backend,
  gateway_authority: authority,
  runtime,
}: SessionManifest): ServingServer | undefined {
  const { api_base_url: baseUrl, managed_agent_ref: agentRef } = authority?.attach ?? {};
  const mode = dispatchMode(backend, {
    managedApiBaseUrl: baseUrl,
    managedAgentRef: agentRef,
    agentDefDir: runtime?.agent_def_dir,
  });
  return mode === 'server_headless' && baseUrl && agentRef ? { baseUrl, agentRef } : undefined;
}
