import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Headers that proxies add. Their values do not matter, nor whether there is one: a caller cannot take them away again. */
const OF_A_PROXY = /^(forwarded|via|x-real-ip|x-forwarded(-.*)?)$/;

/**
 * Why a request is not one that a program of this machine sent to the server directly; undefined when it is. The account at
 * the other end of the connection says who spoke last. Behind a proxy or a browser of the owner's account somebody else may
 * speak, so neither is ever the owner.
 */
export function whyNotDirect(context: Context): string | undefined {
  const incoming = incomingOf(context);
  const added = Object.keys(headersOf(context)).find((name) => OF_A_PROXY.test(name));
  if (added !== undefined) return `the request came through a proxy (it has the header "${added}")`;
  const host = context.req.header('host') ?? '';
  if (!isLoopback(nameOf(host))) return `the request was sent to "${host}", which is not a loopback name`;
  // Only proxies are asked for whole addresses, and only proxies still speak HTTP/1.0: nginx does by default.
  if (incoming?.url?.startsWith('/') === false) return 'the request names a whole address, as one to a proxy';
  if (incoming?.httpVersion === '1.0') return 'the request is HTTP/1.0, which proxies speak';
  // Programs of this machine need no TLS here; what passes it on unread may stand in front.
  if (incoming && 'encrypted' in incoming.socket) return 'the request came over TLS';
  return isFromBrowser(context) ? 'the request came from a browser' : undefined;
}

/**
 * Browsers name their origin, or say from where, how and for what they fetch. `Sec-Fetch-Mode: cors` alone is Node's own
 * fetch: a browser never sends it without its origin or `Sec-Fetch-Site`.
 */
export function isFromBrowser(context: Context): boolean {
  const headers = headersOf(context);
  const fetching = Object.keys(headers).filter((name) => name.startsWith('sec-fetch-'));
  const isNode =
    fetching.length === 1 && fetching[0] === 'sec-fetch-mode' && headers['sec-fetch-mode'] === 'cors';
  return 'origin' in headers || (fetching.length > 0 && !isNode);
}

/** A Host header without its port, in lower case, an IPv6 address without its brackets; empty when it is not well formed. */
export function nameOf(header: string): string {
  const [, six, name = six] = /^(?:\[([\da-f:.]+)\]|([^[\]:\s,@/]+))(?::\d+)?$/i.exec(header) ?? [];
  return name?.toLowerCase() ?? '';
}

/** `localhost`, 127.0.0.0/8 and ::1. A name that only leads to loopback is none of them: whoever owns the name decides that. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const incomingOf = (context: Context): HttpBindings['incoming'] | undefined =>
  (context.env as Partial<HttpBindings> | undefined)?.incoming;

const headersOf = (context: Context): IncomingHttpHeaders =>
  incomingOf(context)?.headers ?? context.req.header();
