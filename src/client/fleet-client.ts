import { readFileSync, statSync } from 'node:fs';
import {
  commandLine,
  errnoOf,
  forbidden,
  isRouseError,
  type RouseError,
  unauthorized,
  unavailable,
} from '../base/index.ts';
import type * as wire from '../wire/index.ts';
import type { ServerEvent } from './event-stream.ts';
import type { Exchange } from './exchange.ts';
import { FleetServers, type FleetServersOptions } from './fleet-servers.ts';
import type { CallOptions } from './gateway-client.ts';
import { type FleetAnswer, type FleetInput, type FleetRouteId, fleetQuestion } from './question.ts';

export const DEFAULT_FLEET_URL = 'http://127.0.0.1:9889';

/** The fleet server's routes as calls. Errors are the RouseErrors that the server meant. */
export class FleetClient {
  readonly servers: FleetServers;

  constructor(options: FleetServersOptions) {
    this.servers = new FleetServers(options);
  }

  get url(): string {
    return this.servers.url;
  }

  async request<T = unknown>(
    method: Exchange['method'],
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<T> {
    try {
      return (await this.servers.exchange({ method, path, body, ...options })) as T;
    } catch (error) {
      throw isForeign(error) ? this.#notAFleet(error) : error;
    }
  }

  #notAFleet({ message, facts }: RouseError): RouseError {
    return unavailable(`what answers at ${this.servers.where} is not a fleet server: ${message}`, {
      hint: 'check ROUSE_FLEET_URL or --fleet-url; "rouse server start" starts a fleet server on this host',
      facts,
    });
  }

  /** Calls one route by its name; input and result have the types of its row. */
  async call<K extends FleetRouteId>(
    id: K,
    input: FleetInput<K>,
    options?: CallOptions,
  ): Promise<FleetAnswer<K>> {
    const { method, path, body } = fleetQuestion(id, input);
    return this.request(method, path, body, options);
  }

  /** Changes of the tickets that the token may see, until aborted. */
  ticketEvents(after: number | undefined, signal?: AbortSignal): AsyncGenerator<ServerEvent> {
    const { path } = fleetQuestion('requests.events', { after });
    return this.servers.follow(path, signal);
  }

  register(body: wire.RegisterInput, options?: CallOptions): Promise<wire.Registered> {
    return this.call('registry.register', { body }, options);
  }

  /** Pass a timeout longer than `wait_seconds`. */
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

/** Where a fleet is, with its token and certificates. */
export interface FleetAddress {
  url: string;
  tokenFile: string;
  caFile?: string | undefined;
}

/** A client for the holder of the token in that file. */
export function fleetClientOf(
  { url, tokenFile, caFile }: FleetAddress,
  options: { timeoutMs?: number } = {},
): FleetClient {
  return new FleetClient({ url, caFile, token: readTokenFile(tokenFile), ...options });
}

/** A fleet server explains each refusal; a status alone, or a bare `Not Found`, comes from another program. */
function isForeign(error: unknown): error is RouseError {
  if (!isRouseError(error) || error.facts['http_status'] === undefined) return false;
  return /answered with status \d+$|^not found$/i.test(error.message);
}

/** The token in a file that only its owner can read. */
export function readTokenFile(file: string): string {
  let text: string;
  try {
    if ((statSync(file).mode & 0o077) !== 0) {
      throw forbidden(`${file} can be read by others`, { hint: `run "${commandLine`chmod 600 ${file}`}"` });
    }
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'EACCES') throw error;
    throw unauthorized(`there is no readable token at ${file}`, {
      hint: 'is there a fleet server? "rouse server start" starts one on this host, with its first token; for another one set ROUSE_FLEET_TOKEN_FILE or --fleet-token-file to a token made on the server\'s host ("rouse tokens create --kind user --subject NAME --out-file FILE")',
    });
  }
  if (text) return text;
  throw unauthorized(`${file} is empty`);
}
