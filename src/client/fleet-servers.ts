import { invalid, isRouseError, readIfExists, unavailable } from '../base/index.ts';
import { followEvents, type ServerEvent } from './event-stream.ts';
import { type Exchange, exchange, type ServerKind, type Target } from './exchange.ts';

export interface FleetServersOptions {
  /**
   * `http://127.0.0.1:9889`, or several servers of one database separated by `,`; any of them will do. With `https:` the
   * server's certificate is checked. A path in it is put before each route.
   */
  url: string;
  /** Undefined: no identity, which few routes allow. */
  token?: string | undefined;
  /** For one call, in milliseconds. Default 10 000. */
  timeoutMs?: number | undefined;
  /** PEM file: only certificates of these authorities are trusted. Default: those of Node. */
  caFile?: string | undefined;
}

interface Server {
  url: string;
  target: Target;
  prefix: string;
}

const SERVER: ServerKind = {
  name: 'fleet server',
  absent: 'Start one with "rouse server start", or set ROUSE_FLEET_URL.',
  stranger: 'Another program may have taken the port; "rouse server status" shows.',
};

/**
 * The servers of one fleet. The one that responded last is called first; one that is away is skipped. A call that a server
 * may have accepted is never repeated: its error is thrown, and the next call goes to the next server.
 */
export class FleetServers {
  /** The URLs that were passed, normalised. */
  readonly url: string;
  readonly #all: Server[];
  #current = 0;

  constructor({ url, token, timeoutMs = 10_000, caFile }: FleetServersOptions) {
    const ca = caFile === undefined ? undefined : certificates(caFile);
    this.#all = fleetUrls(url).map((parsed) => {
      const secure = parsed.protocol === 'https:';
      return {
        url: parsed.href.replace(/\/$/, ''),
        prefix: parsed.pathname.replace(/\/$/, ''),
        target: {
          host: parsed.hostname.replace(/^\[|\]$/g, ''),
          port: Number(parsed.port) || (secure ? 443 : 80),
          token,
          timeoutMs,
          secure,
          ca,
          server: SERVER,
        },
      };
    });
    this.url = this.#all.map((server) => server.url).join(',');
  }

  /** The address of the server that is called next. */
  get where(): string {
    const { host, port } = this.#all[this.#current]!.target;
    return `${host}:${port}`;
  }

  async exchange(request: Exchange): Promise<unknown> {
    const failures: unknown[] = [];
    for (;;) {
      const { target, prefix } = this.#all[this.#current]!;
      try {
        return await exchange(target, { ...request, path: prefix + request.path });
      } catch (error) {
        if (!isAway(error) || request.signal?.aborted || this.#all.length === 1) throw error;
        failures.push(error);
        this.#current = (this.#current + 1) % this.#all.length;
        const again = request.method === 'GET' || wasNotSent(error);
        if (!again) throw error;
        if (failures.length === this.#all.length) throw allAway(failures);
      }
    }
  }

  /** Events of the current server; when it goes away, the next call goes to the next one. */
  async *follow(path: string, signal?: AbortSignal, ends = false): AsyncGenerator<ServerEvent> {
    const { target, prefix } = this.#all[this.#current]!;
    try {
      yield* followEvents(target, { path: prefix + path, signal, ends });
    } catch (error) {
      if (isAway(error)) this.#current = (this.#current + 1) % this.#all.length;
      throw error;
    }
  }
}

/** No server responded, or one that cannot serve now: starting, stopping or without its database. */
function isAway(error: unknown): boolean {
  if (!isRouseError(error) || error.code !== 'unavailable') return false;
  const { http_status: status, cause } = error.facts;
  return status === undefined || (status === 503 && cause === undefined);
}

function wasNotSent(error: unknown): boolean {
  return isRouseError(error) && error.facts['sent'] === false;
}

function allAway(failures: unknown[]): Error {
  const sentences = failures.map((error) => (error as Error).message).join('; ');
  return unavailable(`none of the ${failures.length} fleet servers answers: ${sentences}`, {
    hint: 'see "rouse server status" on their hosts, or check ROUSE_FLEET_URL',
    facts: { sent: false },
  });
}

/** One address, or several separated by `,`. */
export function fleetUrls(text: string): URL[] {
  const urls = text.split(',').map((each) => fleetUrl(each.trim()));
  return urls.filter(({ href }, index) => urls.findIndex((other) => other.href === href) === index);
}

function fleetUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const fine = parsed && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password;
  if (fine && !parsed.search && !parsed.hash) return parsed;
  throw invalid('the URL of the fleet server must look like http://127.0.0.1:9889', {
    hint: 'check ROUSE_FLEET_URL; separate several with commas; a token belongs in a file, not in the URL',
  });
}

function certificates(file: string): string {
  const text = readIfExists(file);
  if (text?.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw invalid(`${file} ${text === undefined ? 'does not exist' : 'contains no certificate in PEM form'}`, {
    hint: 'ROUSE_FLEET_CA must name a PEM file with the certificates of the trusted authorities',
  });
}
