import { invalid } from '../base/index.ts';
import { isLoopback } from '../http/index.ts';

/** What stands between the server and those who use it. */
export interface Front {
  /** The address it listens on. */
  host: string;
  /** Names by which it is reached besides. */
  hosts?: readonly string[] | undefined;
  publicUrl?: string | undefined;
  tls?: object | undefined;
  /** Addresses and ranges whose forwarded headers are believed. */
  trustedProxies?: readonly string[] | undefined;
}

/**
 * A server on loopback that has a name for others is behind a proxy of this machine, which speaks for strangers under whatever
 * account it runs. It must be named, or the server would have to take its word for the owner's.
 */
export function refuseUnnamedProxy({ host, hosts = [], publicUrl, tls, trustedProxies = [] }: Front): void {
  const named = publicUrl ?? hosts[0];
  if (named === undefined || !isLoopback(host) || tls || trustedProxies.length > 0) return;
  const flag = publicUrl === undefined ? '--allow-host' : '--public-url';
  throw invalid(`${flag} ${named} on ${host} means a proxy on this machine, and none is named`, {
    hint: 'add "--trusted-proxy 127.0.0.1" (see docs/proxy.md), or let the server speak TLS itself: --tls-cert and --tls-key',
  });
}

/** Whoever connects to loopback may be the proxy: no account is known by its connection, so the owner, too, shows a token. */
export const isBehindProxy = ({ host, trustedProxies = [] }: Front): boolean =>
  isLoopback(host) && trustedProxies.length > 0;
