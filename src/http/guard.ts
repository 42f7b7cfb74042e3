import { isIP } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { isAnyAddress } from '../base/index.ts';
import { refusal } from '../wire/index.ts';
import { keepFirst } from './kept-layout.ts';
import { isJson, NOT_JSON } from './read-body.ts';
import { notice, TrustedProxies } from './seen-as.ts';
import { isFromBrowser, isLoopback, nameOf } from './sender.ts';

export interface GuardOptions {
  /** The address the server is bound to. */
  host: string;
  /** Other names it is reached by, such as that of a proxy or a DNS name. Lower case, without a port. */
  hosts?: readonly string[] | undefined;
  /** Proxies whose forwarded headers are trusted. Default: none. */
  proxies?: TrustedProxies | undefined;
  /** Documents without secrets, which pages of other sites may link to. Default: none. */
  documents?: ((path: string) => boolean) | undefined;
}

/**
 * Protects a server that can type into agents from web pages. A page in a browser can reach loopback, but cannot forge Host
 * (DNS rebinding) or hide its Origin, so both are checked on every request before anything is read.
 */
export function guard({
  host,
  hosts = [],
  proxies = new TrustedProxies(),
  documents = () => false,
}: GuardOptions): MiddlewareHandler {
  const keep = keepFirst();
  return async (context, next) => {
    keep(context);
    const { host: hostHeader, scheme } = notice(context, proxies);
    if (!isOurHost(hostHeader, host, hosts)) {
      throw refusal('host_refused', `Host "${hostHeader}" is not this server`, {
        hint: 'address it as 127.0.0.1 or localhost; to allow another name, start it with "rouse server start --allow-host NAME"',
      });
    }
    const origin = context.req.header('origin');
    const site = context.req.header('sec-fetch-site');
    if (
      (origin !== undefined &&
        !isOwnOrigin(origin, hostHeader, scheme === 'https' || hosts.includes(nameOf(hostHeader)))) ||
      ((site === 'cross-site' || site === 'same-site') && !isFollowedLink(context, documents))
    ) {
      throw refusal('origin_refused', 'requests from other origins are refused');
    }
    if (context.req.method === 'POST' && !isFromProgram(context)) {
      throw refusal('content_type', NOT_JSON, {
        hint: 'without a body, a browser must send "X-Rouse: 1", and other programs no Content-Type',
      });
    }
    await next();
  };
}

/** A proxy that ends TLS may pass on the name without the scheme, so `https` is allowed for configured names, too. */
function isOwnOrigin(origin: string, host: string, mayBeSecure: boolean): boolean {
  return origin === `http://${host}` || (mayBeSecure && origin === `https://${host}`);
}

/** A person follows a link: only the document is loaded, and the page with the link cannot read it. */
function isFollowedLink({ req }: Context, documents: (path: string) => boolean): boolean {
  const isDocument =
    req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';
  return req.method === 'GET' && isDocument && documents(req.path);
}

/** A form of a web page can send neither the header nor JSON, and a browser without a body identifies itself as a browser. */
function isFromProgram(context: Context): boolean {
  const { req } = context;
  const type = req.header('content-type');
  if (req.header('x-rouse') === '1' || isJson(type)) return true;
  if (mayHaveBody(context) || isFromBrowser(context)) return false;
  return type === undefined || (type === FORM && !MOZILLA.test(req.header('user-agent') ?? ''));
}

/** Python's urllib, and so the source's own client, gives this type to an empty body. */
const FORM = 'application/x-www-form-urlencoded';
/** Every browser begins so, also one too old to name the origin of a form; a web page cannot change it. */
const MOZILLA = /^\s*mozilla\//i;

function mayHaveBody({ req }: Context): boolean {
  return req.header('transfer-encoding') !== undefined || !/^0*$/.test(req.header('content-length') ?? '0');
}

/** Loopback names and the bound address. When bound to every address, any literal address: a rebound name is never one. */
function isOurHost(header: string, bound: string, hosts: readonly string[]): boolean {
  const plain = nameOf(header);
  if (isLoopback(plain)) return true;
  if (plain === '') return false;
  if (plain === bound.toLowerCase() || hosts.includes(plain)) return true;
  return isAnyAddress(bound) && isIP(plain) !== 0;
}
