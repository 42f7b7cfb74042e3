/**
 * Served: a headless agent whose turns are run by the server that owns it, not by this gateway.
 *
 * Promises  One request is one turn at the server, whatever is killed in between. Every stage the server proved is written
 *           into this gateway's own ledger. When the server is away the agent is unavailable and requests wait.
 * Never     Runs a turn itself. Asks another server than the manifest's. Uses the server's public prompt routes, which
 *           would lead back here.
 */
import type { Clock, Log } from '../../base/index.ts';
import { dispatchMode } from '../../domain/index.ts';
import { type AgentSurface, openPresence } from '../../terminal/index.ts';
import type { SessionManifest } from '../../wire/index.ts';
import { ServedSurface } from './served-surface.ts';
import { ServerAuthority } from './server-authority.ts';

/** Undefined when this gateway runs the turns, or types them, itself. */
export function openServedSurface({
  manifest,
  sessionRoot,
  clock,
  log,
  env,
}: {
  manifest: SessionManifest;
  sessionRoot: string;
  clock: Clock;
  log: Log;
  env: NodeJS.ProcessEnv;
}): AgentSurface | undefined {
  const { api_base_url: baseUrl, managed_agent_ref: agentRef } = manifest.gateway_authority?.attach ?? {};
  const mode = dispatchMode(manifest.backend, {
    managedApiBaseUrl: baseUrl,
    managedAgentRef: agentRef,
    agentDefDir: manifest.runtime?.agent_def_dir,
  });
  if (mode !== 'server_headless' || !baseUrl || !agentRef) return undefined;
  return new ServedSurface({
    authority: new ServerAuthority({ baseUrl, agentRef, sessionRoot, env }),
    presence: openPresence(manifest, { clock, log, env }),
    clock,
  });
}
