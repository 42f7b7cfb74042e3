/** Bound to every address of the machine. */
export function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the address that a client on this machine uses for a listener bound to `host`. */
export function connectHost(host: string): string {
  return isAnyAddress(host) ? '127.0.0.1' : host;
}

/** Returns the URL of a listener for a client on this machine. */
export function listenerUrl({ host, port }: { host: string; port: number }): string {
  const reached = connectHost(host);
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
