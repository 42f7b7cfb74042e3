/**
 * Served: a headless agent whose turns are run by the server that owns it, not by this gateway.
 *
 * Promises  One request is one turn at the server, whatever is killed in between. Every stage the server proved is stored in
 *           this gateway's own ledger. While the server is away the agent is unavailable and requests wait.
 * Never     Runs a turn itself. Calls another server than the manifest's. Uses the server's public prompt routes, which
 *           would lead back here.
 */
import type { ServedAgent } from '../../fleet/hosting.ts';
import { type AgentSurface, openPresence } from '../../terminal/index.ts';
import { ServedSurface } from './served-surface.ts';
import { ServerAuthority } from './server-authority.ts';

export function openServedSurface({
  server,
  manifest,
  sessionRoot,
  clock,
  log,
  env,
  hold,
}: ServedAgent): AgentSurface {
  return new ServedSurface({
    authority: new ServerAuthority({ ...server, sessionRoot, env }),
    presence: openPresence(manifest, { clock, log, env }),
    clock,
    hold,
  });
}
