/** The push services of browsers: the only ones that a browser may name. A host that begins with a dot: all below it. */
export const PUSH_SERVICES = {
  google: { words: 'Chrome and other Chromium browsers', hosts: ['fcm.googleapis.com'] },
  mozilla: { words: 'Firefox', hosts: ['updates.push.services.mozilla.com'] },
  apple: { words: 'Safari', hosts: ['web.push.apple.com'] },
  microsoft: { words: 'Edge', hosts: ['.notify.windows.com'] },
} as const satisfies Record<string, { words: string; hosts: readonly string[] }>;

const isAt = (hostname: string, host: string): boolean =>
  host.startsWith('.')
    ? hostname.length > host.length && hostname.endsWith(host) && hostname[0] !== '.'
    : hostname === host;

const HOSTS: readonly string[] = Object.values(PUSH_SERVICES).flatMap(({ hosts }) => [...hosts]);

/** Whether an address belongs to one of them, over https and on its usual port. */
export function isPushEndpoint(address: string): boolean {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return false;
  }
  const { protocol, hostname, port, username, password, href } = url;
  if (protocol !== 'https:' || port !== '' || username !== '' || password !== '' || href !== address)
    return false;
  return HOSTS.some((host) => isAt(hostname, host));
}
