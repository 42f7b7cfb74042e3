import { isIPv6 } from 'node:net';
import { invalid } from '../base/index.ts';
import { isLoopback } from '../http/index.ts';

/** What is between the server and its users. */
export interface Front {
  /** The address it listens on. */
  host: string;
  /** Other names by which it is reached. */
  hosts?: readonly string[] | undefined;
  publicUrl?: string | undefined;
  tls?: object | undefined;
  /** Addresses and ranges whose forwarded headers are trusted. */
  trustedProxies?: readonly string[] | undefined;
}

/**
 * A server on loopback that has a public name is behind a proxy of this machine, which speaks for strangers under
 * whatever account it runs. The proxy must be named; otherwise the server would take its connections for the owner's.
 */
export function refuseUnnamedProxy({ host, hosts = [], publicUrl, tls, trustedProxies = [] }: Front): void {
  const named = publicUrl ?? hosts[0];
  if (named === undefined || !isLoopback(host) || tls || trustedProxies.length > 0) return;
  const flag = publicUrl === undefined ? '--allow-host' : '--public-url';
  throw invalid(`${flag} ${named} on ${host} means a proxy on this machine, and none is named`, {
    hint: `add "--trusted-proxy ${isIPv6(host) ? '::1' : '127.0.0.1'}" (see docs/proxy.md), or let the server speak TLS itself: --tls-cert and --tls-key`,
  });
}

/**
 * Any connection to loopback may come from the proxy, so a connection identifies no account, and the owner needs a
 * token too.
 */
export const isBehindProxy = ({ host, trustedProxies = [] }: Front): boolean =>
  isLoopback(host) && trustedProxies.length > 0;
