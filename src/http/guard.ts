import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { refusal } from '../wire/index.ts';
import { isJson, NOT_JSON } from './read-body.ts';

export interface GuardOptions {
  /** The address the server is bound to. */
  host: string;
  /** Names under which it is reached besides: behind a proxy, by a DNS name. Lower case, without a port. */
  hosts?: readonly string[] | undefined;
}

/**
 * Who may speak to a server that can type into agents. A page in a browser can reach loopback: it cannot forge
 * Host (DNS rebinding) or hide its Origin, so both are checked on every request, before anything is read.
 */
export function guard({ host, hosts = [] }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const hostHeader = context.req.header('host') ?? '';
    if (!isOurHost(hostHeader, host, hosts)) {
      throw refusal('host_refused', `Host "${hostHeader}" is not this server`, {
        hint: 'address it as 127.0.0.1 or localhost; a server that is reached by another name must be given that name: "rouse server start --allow-host NAME"',
      });
    }
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    if (
      (origin !== undefined && origin !== `http://${hostHeader}`) ||
      site === 'cross-site' ||
      site === 'same-site'
    ) {
      throw refusal('origin_refused', 'requests from other origins are refused');
    }
    if (context.req.method === 'POST' && !isFromProgram(context)) {
      throw refusal('content_type', NOT_JSON, { hint: 'without a body, "X-Rouse: 1" will do, too' });
    }
    await next();
    context.header('cache-control', 'no-store');
    context.header('x-content-type-options', 'nosniff');
  };
}

/** A form of a web page can send neither of these. */
function isFromProgram({ req }: Context): boolean {
  return req.header('x-rouse') === '1' || isJson(req.header('content-type'));
}

/** Loopback names always, and the bound address; when bound to all, any literal address, since a rebound name is never one. */
function isOurHost(header: string, bound: string, hosts: readonly string[]): boolean {
  const name = header.replace(/:\d+$/, '').toLowerCase();
  const plain = name.replace(/^\[|\]$/g, '');
  if (plain === '127.0.0.1' || plain === 'localhost' || plain === '::1') return true;
  if (plain === bound.toLowerCase() || hosts.includes(plain)) return true;
  return (bound === '0.0.0.0' || bound === '::') && isIP(plain) !== 0;
}

/** Only programs of the same machine reach it. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
