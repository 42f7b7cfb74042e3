/** What a server that owns sessions of this host needs beyond what a command line does. */

export { openHeadless } from '../open-headless.ts';
export { tryManifestFacts } from '../registry/manifest-facts.ts';
export { manifests, publishForgotten } from '../registry/publish-forgotten.ts';
export { readRegistry } from '../registry/registry-read.ts';
export { LiveSessions } from '../target/live-sessions.ts';
export { takeHandover } from './pair-handover.ts';
