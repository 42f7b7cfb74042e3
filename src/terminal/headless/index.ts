/**
 * Headless: agents without a screen. One process per turn, told about as structured events.
 *
 * Promises  A turn's process gets its prompt whole or is never run: a fence decides, also against a gateway that died
 *           while starting it. The turn outlives the gateway; the next one takes it over and finds how it ended.
 *           Credentials stand in the environment only, the prompt in an argument only where a tool reads it nowhere else.
 *           Whatever a tool prints is kept, bounded in memory, and never an error.
 * Never     Runs two turns of a session at once, uses a shell on any word it was given, signals a process whose start
 *           it has not recorded.
 * Errors    As the port says: refusals and failures are results. `start` throws `unavailable` without a tmux session.
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
