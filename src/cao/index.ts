/**
 * CAO (cli-agent-orchestrator): the HTTP client of a server that owns terminals of its own.
 *
 * Promises  What the server can do is read from its routes, never from a version. A text that its URL cannot carry whole is
 *           refused before anything is sent. An answer that was lost is told apart from one that never could be given.
 * Never     Repeats what types. Believes that `success` means submitted. Asks a host that is not this one, unless told to.
 *           Ends, renames or makes anything there; sends an Origin.
 * Errors    `invalid` for a bad address or id; what a server answers, or does not, is a value.
 */
export { caoAddress, DEFAULT_CAO_URL } from './cao-address.ts';
export {
  CaoClient,
  type CaoTerminal,
  type CaoTyped,
  isCaoTerminalId,
  takesCaoKey,
} from './cao-client.ts';
export { CAO_SERVICE, fitsUrl, inputPath, MOST_URL_BYTES } from './cao-routes.ts';
