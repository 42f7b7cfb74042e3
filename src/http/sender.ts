import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';

/** Headers that proxies add. Their presence counts, whatever the value: a caller cannot remove them. */
const OF_A_PROXY = /^(forwarded|via|x-real-ip|x-forwarded(-.*)?)$/;

/**
 * Why a request was not sent directly by a program of this machine; undefined when it was. The account at the other end of
 * the connection is that of the last hop. Behind a proxy or browser of the owner's account may be someone else, so neither
 * is ever taken for the owner.
 */
export function whyNotDirect(context: Context): string | undefined {
  const incoming = incomingOf(context);
  const added = Object.keys(headersOf(context)).find((name) => OF_A_PROXY.test(name));
  if (added !== undefined) return `the request came through a proxy (it has the header "${added}")`;
  const host = context.req.header('host') ?? '';
  if (!isLoopback(nameOf(host))) return `the request was sent to "${host}", which is not a loopback name`;
  // Absolute request targets are for proxies, and only proxies still use HTTP/1.0; nginx does by default.
  if (incoming?.url?.startsWith('/') === false)
    return 'the request target is an absolute URL, as for a proxy';
  if (incoming?.httpVersion === '1.0') return 'the request is HTTP/1.0, which proxies use';
  // Programs of this machine need no TLS here; a TCP proxy may be in between.
  if (incoming && 'encrypted' in incoming.socket) return 'the request came over TLS';
  return isFromBrowser(context) ? 'the request came from a browser' : undefined;
}

/**
 * Browsers send `Origin` or `Sec-Fetch-*` headers. `Sec-Fetch-Mode: cors` alone is Node's own fetch: a browser never sends
 * it without its origin or `Sec-Fetch-Site`.
 */
export function isFromBrowser(context: Context): boolean {
  const headers = headersOf(context);
  const fetching = Object.keys(headers).filter((name) => name.startsWith('sec-fetch-'));
  const isNode =
    fetching.length === 1 && fetching[0] === 'sec-fetch-mode' && headers['sec-fetch-mode'] === 'cors';
  return 'origin' in headers || (fetching.length > 0 && !isNode);
}

/** The name in a Host header: lower case, without port or IPv6 brackets; empty when the header is malformed. */
export function nameOf(header: string): string {
  const [, six, name = six] = /^(?:\[([\da-f:.]+)\]|([^[\]:\s,@/]+))(?::\d+)?$/i.exec(header) ?? [];
  return name?.toLowerCase() ?? '';
}

/** `localhost`, 127.0.0.0/8 and ::1. A DNS name that resolves to loopback does not count: its owner decides where it leads. */
export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

const incomingOf = (context: Context): HttpBindings['incoming'] | undefined =>
  (context.env as Partial<HttpBindings> | undefined)?.incoming;

const headersOf = (context: Context): IncomingHttpHeaders =>
  incomingOf(context)?.headers ?? context.req.header();
