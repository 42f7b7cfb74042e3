/**
 * CAO (cli-agent-orchestrator): a server that owns terminals of its own, what it reports about them, and typing through it.
 *
 * Promises  What the server can do is read from its routes, never from a version. A text that does not fit its URL is refused
 *           before anything is sent. A lost response is not confused with a request that never arrived.
 * Never     Repeats a call that types. Takes `success` for submitted. Connects to another host that was not named.
 *           Ends, renames or creates anything there; sends an Origin.
 * Errors    `invalid` for a bad address or id. Responses and their absence are returned as values.
 */
export { CAO } from './cao-kind.ts';
