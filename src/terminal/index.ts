/**
 * Terminal: the agent's surface, seen and written to.
 *
 * Promises  One writer: whatever is typed goes through the lane, which holds the session's lane lock and re-checks
 *           readiness and the reason at the instant of typing.
 *           `submitted` needs structural proof; anything less is `unconfirmed`, with the evidence.
 * Never     Types a prompt into a dialog, a shell, a person's draft, or a screen it does not understand.
 * Errors    Refusals are results, not exceptions; what is thrown is `unavailable` (tmux gone) or `internal`.
 */
export { FakeSurface } from './fake-surface.ts';
export {
  endHeadlessTurn,
  type HeadlessProgress,
  openHeadlessSurface,
  openPresence,
  readExitCode,
  type SessionPresence,
  turnArtefacts,
} from './headless/index.ts';

export { openSurface, type SurfaceOptions } from './open-surface.ts';
export * from './port.ts';
export type { SurfaceManifest } from './surface-manifest.ts';
export { readTimings } from './watch/read-timings.ts';
export { keepConversation, readConversation } from './watch/remember-conversation.ts';
export { startedPids } from './watch/started-pids.ts';
export { toolInstance } from './watch/tool-process.ts';
