/**
 * CAO (cli-agent-orchestrator): a server that owns terminals of its own, what it says of them, and typing through it.
 *
 * Promises  What the server can do is read from its routes, never from a version. A text that its URL cannot carry whole is
 *           refused before anything is sent. An answer that was lost is told apart from one that never could be given.
 * Never     Repeats what types. Believes that `success` means submitted. Asks a host that is not this one, unless told to.
 *           Ends, renames or makes anything there; sends an Origin.
 * Errors    `invalid` for a bad address or id; what a server answers, or does not, is a value.
 */
export { CAO } from './cao-kind.ts';
