/** What a server that owns sessions of this host needs beyond what a command line does. */
export { LiveSessions } from './live-sessions.ts';
export { tryManifestFacts } from './manifest-facts.ts';
export { openHeadless } from './open-headless.ts';
export { takeHandover } from './pair-handover.ts';
export { manifests, publishForgotten } from './publish-forgotten.ts';
export { readRegistry } from './registry-read.ts';
