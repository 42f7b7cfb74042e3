/**
 * Headless: agents without a screen. One process per turn, which reports structured events.
 *
 * Promises  A turn's process gets its whole prompt or never runs: a fence decides, even if the gateway died while
 *           starting it. The turn outlives the gateway; the next gateway adopts it and finds out how it ended.
 *           Credentials are only in the environment. The prompt is in an argument only if the tool reads it nowhere
 *           else. Everything a tool prints is kept, bounded in memory, and never an error.
 * Never     Runs two turns of a session at once, passes a word of a request to a shell, signals a process whose start
 *           time it has not recorded.
 * Errors    As in the port: refusals and failures are results. `start` throws `unavailable` without a tmux session.
 */

export type { HeadlessManifest, HeadlessProgress } from './headless-manifest.ts';
export {
  type HeadlessOptions,
  openHeadlessSurface,
  openPresence,
} from './open-headless-surface.ts';
export type { SessionPresence } from './session-presence.ts';
export { endHeadlessTurn } from './turn/recover-turn.ts';

export { readExitCode, turnArtefacts } from './turn/turn-files.ts';
