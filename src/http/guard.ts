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
  /** Names under which it is reached besides: behind a proxy, by a DNS name. Lower case, without a port. */
  hosts?: readonly string[] | undefined;
  /** Whose word about their callers is believed. Default: nobody's. */
  proxies?: TrustedProxies | undefined;
  /** Documents without a secret, which a link elsewhere may lead a browser to. Default: none. */
  documents?: ((path: string) => boolean) | undefined;
}

/**
 * Who may speak to a server that can type into agents. A page in a browser can reach loopback: it cannot forge
 * Host (DNS rebinding) or hide its Origin, so both are checked on every request, before anything is read.
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
        hint: 'address it as 127.0.0.1 or localhost; a server that is reached by another name must be given that name: "rouse server start --allow-host NAME"',
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
        hint: 'a browser that sends no body adds "X-Rouse: 1"; other programs send no Content-Type then',
      });
    }
    await next();
  };
}

/** A proxy that ends TLS in front may hand on the name and not how it was asked: so `https` for names we were given, too. */
function isOwnOrigin(origin: string, host: string, mayBeSecure: boolean): boolean {
  return origin === `http://${host}` || (mayBeSecure && origin === `https://${host}`);
}

/** A person follows a link: nothing is asked but the document, and whoever sent them there cannot read it. */
function isFollowedLink({ req }: Context, documents: (path: string) => boolean): boolean {
  const isDocument =
    req.header('sec-fetch-mode') === 'navigate' && req.header('sec-fetch-dest') === 'document';
  return req.method === 'GET' && isDocument && documents(req.path);
}

/** A form of a web page can send neither of the first two, and a browser that sends nothing says that it is one. */
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

/** Loopback names always, and the bound address; when bound to all, any literal address, since a rebound name is never one. */
function isOurHost(header: string, bound: string, hosts: readonly string[]): boolean {
  const plain = nameOf(header);
  if (isLoopback(plain)) return true;
  if (plain === '') return false;
  if (plain === bound.toLowerCase() || hosts.includes(plain)) return true;
  return isAnyAddress(bound) && isIP(plain) !== 0;
}
