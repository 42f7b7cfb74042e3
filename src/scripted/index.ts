/**
 * Scripted: a terminal program that behaves like a coding agent and tells the truth afterwards. Tests and demos
 * stand on it: what the product believes it did is compared with what this agent wrote down.
 *
 * Promises  A prompt is in the transcript, with its hash, before anything is done about it; kill -9 loses none.
 *           Every key that reaches a dialog is recorded. Faults happen only when asked for. A turn always ends,
 *           unless it was told to hang.
 * Never     Runs a shell command, whatever it is told: it records what it would have run. Calls a gateway on
 *           another machine. Shares code with the rooms it judges, except base.
 * Errors    Bad flags, scripts and control messages are refused whole: `invalid` (exit 2), no such session
 *           `not_found` (exit 3).
 */
export { ControlClient } from './control/control-client.ts';

export { fingerprint } from './fingerprint.ts';
export { PROCESS_TITLE } from './run.ts';
export type { Skin } from './tui/skin.ts';
export { SKINS } from './tui/skins.ts';
export { readTranscript, type TranscriptRecord } from './tui/transcript.ts';
