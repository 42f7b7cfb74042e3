/** What `GET /health` says of a CAO server, whose port may be the same as that of a fleet server. */
export const CAO_SERVICE = 'cli-agent-orchestrator';

/**
 * The longest URL that is sent. From 65,536 bytes on the parser of a CAO server cuts a URL off without a word, types what is
 * left and answers with success.
 */
export const MOST_URL_BYTES = 60_000;

export const HEALTH = '/health';
export const SCHEMA = '/openapi.json';
/** As the schema calls it: a server that has this route has the latched status too. */
export const KEY_ROUTE = '/terminals/{terminal_id}/key';

export function terminalPath(id: string): string {
  return `/terminals/${id}`;
}

/** Everything is in the query: a body is not read. */
export function inputPath(id: string, text: string): string {
  return `${terminalPath(id)}/input?message=${encodeURIComponent(text)}`;
}

export function keyPath(id: string, key: string): string {
  return `${terminalPath(id)}/key?key=${encodeURIComponent(key)}`;
}

export function pendingPath(id: string): string {
  return `${terminalPath(id)}/inbox/messages?status=pending&limit=1`;
}

/** An encoded path is ASCII: its characters are its bytes. */
export function fitsUrl(baseUrl: string, path: string): boolean {
  return baseUrl.length + path.length <= MOST_URL_BYTES;
}
