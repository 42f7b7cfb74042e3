/**
 * Registry: which agents exist, which session speaks for each, how they are, and what their gateways get next.
 *
 * Promises  An agent id keeps its workspace; a newer session fences an older one off. Every change of status is a
 *           compare-and-set on the status it was made for, so a late heartbeat never undoes a pause or a removal.
 *           A heartbeat that reports on earlier messages is one transaction: status, reports, and the next messages.
 * Never     Shows or resolves an agent of another tenant. Claims a message for a caller that is gone.
 * Errors    `not_found`, `conflict` for an ambiguous name, an older session, or an agent that runs elsewhere.
 */
export { Arrivals } from './arrivals.ts';
export { changeStatus } from './change-status.ts';
export { wakeHeldBeats } from './hand-out.ts';
export { olderSession, settle } from './heartbeat.ts';
export { type HeldBeatDependencies, heldBeat } from './held-beat.ts';
export { livenessPass, livenessSweep } from './liveness.ts';
export { QuietBeats } from './quiet-beats.ts';
export { registerWorkspace } from './register.ts';
export { findWorkspace, isWorkspaceId, resolveWorkspace, type Workspace } from './workspace.ts';
export { listWorkspaces, PAUSED, viewWorkspace } from './workspace-views.ts';
