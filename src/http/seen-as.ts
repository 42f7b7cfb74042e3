import { BlockList, isIP } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { invalid } from '../base/index.ts';

/** How a request was addressed, and by whom, as far as that can be trusted. */
export interface SeenAs {
  /** Address of the caller. */
  address: string;
  /** Name and port by which it addressed the server. */
  host: string;
  scheme: 'http' | 'https';
}

const KEY = 'rouse.seen';

/** Proxies whose forwarded headers are trusted. From any other address these headers are ignored. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #isEmpty: boolean;

  /** Addresses, or ranges such as `10.0.0.0/8`. */
  constructor(addresses: readonly string[] = []) {
    this.#isEmpty = addresses.length === 0;
    for (const each of addresses) this.#add(each);
  }

  has(address: string): boolean {
    if (this.#isEmpty) return false;
    const plain = plainAddress(address);
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 4 ? 'ipv4' : 'ipv6');
  }

  #add(text: string): void {
    const [address = '', bits, ...rest] = text.split('/');
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
    const max = family === 'ipv4' ? 32 : 128;
    const fine = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= max);
    if (isIP(address) === 0 || !fine || rest.length > 0) {
      throw invalid(`"${text}" is neither an IP address nor a range of them`, {
        hint: 'name the proxy as 127.0.0.1 or 10.1.0.0/16',
      });
    }
    if (bits === undefined) this.#list.addAddress(address, family);
    else this.#list.addSubnet(address, Number(bits), family);
  }
}

/** Call once per request, before any other decision about it. */
export function notice(context: Context, proxies: TrustedProxies): SeenAs {
  const socket = (context.env as Partial<HttpBindings> | undefined)?.incoming?.socket;
  const peer = socket?.remoteAddress ?? 'unknown';
  const direct: SeenAs = {
    address: peer,
    host: context.req.header('host') ?? '',
    scheme: socket && 'encrypted' in socket ? 'https' : 'http',
  };
  const seen = proxies.has(peer) ? { ...direct, ...forwardedBy(context, proxies) } : direct;
  context.set(KEY, seen);
  return seen;
}

export function seenAs(context: Context): SeenAs {
  return context.get(KEY) as SeenAs;
}

/** The last entry of each list was added by the proxy itself; entries before it may be forged. */
function forwardedBy({ req }: Context, proxies: TrustedProxies): Partial<SeenAs> {
  const scheme = last(req.header('x-forwarded-proto'))?.toLowerCase();
  const host = last(req.header('x-forwarded-host'));
  const address = listed(req.header('x-forwarded-for')).findLast((each) => !proxies.has(each));
  return {
    ...((scheme === 'http' || scheme === 'https') && { scheme }),
    ...(host && { host }),
    ...(address && isIP(plainAddress(address)) !== 0 && { address: plainAddress(address) }),
  };
}

const listed = (header: string | undefined): string[] =>
  (header ?? '').split(',').flatMap((each) => each.trim() || []);

const last = (header: string | undefined): string | undefined => listed(header).at(-1);

/** Without brackets and port; an IPv4 address mapped into IPv6 as plain IPv4. */
function plainAddress(text: string): string {
  const bare = /^\[(.+)\](:\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1');
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');
}
