/** What a server that owns sessions of this host needs beyond what a command line does. */

export { openHeadless } from '../open-headless.ts';
export { tryManifestFacts } from '../records/manifest-facts.ts';
export { readRegistry } from '../records/registry-read.ts';
export { LiveSessions } from '../target/live-sessions.ts';
export { manifests, publishForgotten } from '../target/publish-forgotten.ts';
export { takeHandover } from './handover.ts';
