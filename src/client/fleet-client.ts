import { readFileSync, statSync } from 'node:fs';
import { errnoOf, forbidden, invalid, unauthorized } from '../base/index.ts';
import type * as wire from '../wire/index.ts';
import { followEvents, type ServerEvent } from './event-stream.ts';
import { type Exchange, exchange, type ServerKind, type Target } from './exchange.ts';
import type { CallOptions } from './gateway-client.ts';
import { type FleetAnswer, type FleetInput, type FleetRouteId, fleetQuestion } from './question.ts';

export interface FleetClientOptions {
  /** `http://127.0.0.1:9889`; with `https:` the server's certificate is checked. A path in it stands before each route. */
  url: string;
  /** Undefined: speak as nobody, which few routes allow. */
  token?: string | undefined;
  /** For one call, in milliseconds. Default 10 000. */
  timeoutMs?: number | undefined;
}

export const DEFAULT_FLEET_URL = 'http://127.0.0.1:9889';

const SERVER: ServerKind = {
  name: 'fleet server',
  absent: 'Start one with "rouse server start", or set ROUSE_FLEET_URL.',
  stranger: 'Another program may have taken the port; "rouse server status" shows.',
};

/** The fleet server's routes as calls. Errors are the RouseErrors the server meant. */
export class FleetClient {
  readonly url: string;
  #target: Target;
  #prefix: string;

  constructor({ url, token, timeoutMs = 10_000 }: FleetClientOptions) {
    const parsed = fleetUrl(url);
    const secure = parsed.protocol === 'https:';
    this.url = parsed.href.replace(/\/$/, '');
    this.#prefix = parsed.pathname.replace(/\/$/, '');
    this.#target = {
      host: parsed.hostname.replace(/^\[|\]$/g, ''),
      port: Number(parsed.port) || (secure ? 443 : 80),
      token,
      timeoutMs,
      secure,
      server: SERVER,
    };
  }

  async request<T = unknown>(
    method: Exchange['method'],
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<T> {
    return (await exchange(this.#target, { method, path: this.#prefix + path, body, ...options })) as T;
  }

  /** One route by its name; what it takes and answers is what its row says. */
  async call<K extends FleetRouteId>(
    id: K,
    input: FleetInput<K>,
    options?: CallOptions,
  ): Promise<FleetAnswer<K>> {
    const { method, path, body } = fleetQuestion(id, input);
    return this.request(method, path, body, options);
  }

  /** What happens to the tickets the token may see, until aborted. */
  ticketEvents(after: number | undefined, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    const { path } = fleetQuestion('requests.events', { after });
    return followEvents(this.#target, { path: this.#prefix + path, signal });
  }

  register(body: wire.RegisterInput, options?: CallOptions): Promise<wire.Registered> {
    return this.call('registry.register', { body }, options);
  }

  /** Give it a time limit beyond the `wait_seconds` asked for. */
  heartbeat(body: wire.HeartbeatInput, options?: CallOptions): Promise<wire.HeartbeatAnswer> {
    return this.call('registry.heartbeat', { body }, options);
  }

  agent(ref: string, options?: CallOptions): Promise<wire.WorkspaceView> {
    return this.call('registry.agents.get', { agent_ref: ref }, options);
  }

  createToken(body: wire.TokenInput, options?: CallOptions): Promise<wire.FleetNewToken> {
    return this.call('admin.tokens.create', { body }, options);
  }
}

function fleetUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const fine = parsed && /^https?:$/.test(parsed.protocol) && !parsed.username && !parsed.password;
  if (fine && !parsed.search && !parsed.hash) return parsed;
  throw invalid('the URL of the fleet server must look like http://127.0.0.1:9889', {
    hint: 'check ROUSE_FLEET_URL; tokens belong into a file, not into the URL',
  });
}

/** The token in a file that only its owner can read. */
export function readTokenFile(file: string): string {
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw forbidden(`${file} can be read by others`, { hint: `run "chmod 600 ${file}"` });
    }
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') throw error;
    throw unauthorized(`there is no readable token at ${file}`, {
      hint: 'set ROUSE_FLEET_TOKEN_FILE or --fleet-token-file to a token made on the server\'s host ("rouse tokens create --kind user --subject NAME --out-file FILE"); on that host itself, "rouse server init" makes the first one',
    });
  }
  if (text) return text;
  throw unauthorized(`${file} is empty`);
}
