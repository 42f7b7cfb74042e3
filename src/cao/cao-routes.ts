/** The `service` in `GET /health` of a CAO server. A fleet server may listen on the same port. */
export const CAO_SERVICE = 'cli-agent-orchestrator';

/**
 * The longest URL that is sent. From 65,536 bytes on, the parser of a CAO server silently cuts off a URL, types the rest and
 * reports success.
 */
export const MAX_URL_BYTES = 60_000;

export const HEALTH = '/health';
export const SCHEMA = '/openapi.json';
/** Its name in the schema. A server that has this route has the latched status too. */
export const KEY_ROUTE = '/terminals/{terminal_id}/key';

export function terminalPath(id: string): string {
  return `/terminals/${id}`;
}

/** The text is in the query because the server does not read a body. */
export function inputPath(id: string, text: string): string {
  return `${terminalPath(id)}/input?message=${encodeURIComponent(text)}`;
}

export function keyPath(id: string, key: string): string {
  return `${terminalPath(id)}/key?key=${encodeURIComponent(key)}`;
}

export function pendingPath(id: string): string {
  return `${terminalPath(id)}/inbox/messages?status=pending&limit=1`;
}

/** An encoded path is ASCII, so it has as many bytes as characters. */
export function fitsUrl(baseUrl: string, path: string): boolean {
  return baseUrl.length + path.length <= MAX_URL_BYTES;
}
