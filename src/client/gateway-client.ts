import { connectHost, invalid } from '../base/index.ts';
import type * as wire from '../wire/index.ts';
import { GATEWAY_PLACES } from '../wire/places.ts';
import { followEvents, type ServerEvent } from './event-stream.ts';
import { type Exchange, exchange, type Target } from './exchange.ts';
import type { FleetServers } from './fleet-servers.ts';
import { type GatewayAnswer, type GatewayInput, type GatewayRouteId, question } from './question.ts';

export interface GatewayClientOptions {
  /** As in state.json. A gateway bound to every address is reached on loopback. */
  host: string;
  port: number;
  token?: string | undefined;
  /** On whose behalf it is asked, when that is not the owner of the account; the gateway then allows only what they may. */
  caller?: wire.Caller | undefined;
  /** For one call, in milliseconds. Default 5000. */
  timeoutMs?: number | undefined;
  /** Used instead of host and port: carries the calls to the gateway. */
  via?: Carrier | undefined;
  /** The path where a `/v1` path is served, when not by the gateway itself; see fleetPath. */
  pathOf?: ((path: string) => string) | undefined;
}

/** Carries calls to a gateway that cannot be reached from here: the servers of a fleet, or one server inside its own process. */
export interface Carrier extends Pick<FleetServers, 'follow'> {
  /** `timeoutMs`: how long the caller waits. */
  exchange(call: Exchange & { timeoutMs: number }): Promise<unknown>;
}

export interface CallOptions {
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type RequestExtras = Pick<wire.RequestInput, 'idempotency_key' | 'expires_at' | 'priority'>;
export type PromptExtras = RequestExtras & { wait_in_line?: boolean };

const DEFAULT_TIMEOUT_MS = 5000;
/** A little more than a fleet server waits for the gateway. */
const REMOTE_TIMEOUT_MS = 45_000;

/** The gateway of an agent on any host, through a fleet: it receives a call with its next heartbeat. */
export function remoteGateway(via: Carrier, pathOf?: (path: string) => string): GatewayClient {
  return new GatewayClient({ host: 'fleet', port: 1, via, pathOf, timeoutMs: REMOTE_TIMEOUT_MS });
}

/**
 * A gateway's routes as calls; the most common have methods. A response needs the right status and JSON and is not checked
 * further. Errors are RouseErrors.
 */
export class GatewayClient {
  #target: Target;
  #via: Carrier | undefined;
  #pathOf: (path: string) => string;

  constructor(options: GatewayClientOptions) {
    const { host, port, token, caller, timeoutMs = DEFAULT_TIMEOUT_MS, via, pathOf } = options;
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw invalid(`the gateway port must be an integer from 1 to 65535, but is ${port}`);
    }
    this.#target = { host: connectHost(host), port, token, caller, timeoutMs };
    this.#via = via;
    this.#pathOf = pathOf ?? ((path) => path);
  }

  async request<T = unknown>(
    method: Exchange['method'],
    path: string,
    body?: unknown,
    options?: CallOptions,
  ): Promise<T> {
    const call = { method, path: this.#pathOf(path), body, ...options };
    if (!this.#via) return (await exchange(this.#target, call)) as T;
    // Through a fleet, wait until the server reports a timeout: it knows whether anything was done.
    const timeoutMs = Math.max(options?.timeoutMs ?? 0, this.#target.timeoutMs);
    return (await this.#via.exchange({ ...call, timeoutMs })) as T;
  }

  /** Calls one route by its name; input and result have the types of its row. */
  async call<K extends GatewayRouteId>(
    id: K,
    input: GatewayInput<K>,
    options?: CallOptions,
  ): Promise<GatewayAnswer<K>> {
    const { method, path, body } = question(GATEWAY_PLACES[id], input as object);
    return this.request(method, path, body, options);
  }

  /** Compare `instance_id` with run/current-instance.json before trusting the program on this port. */
  health(options?: CallOptions): Promise<wire.Health> {
    return this.call('health', {}, options);
  }

  status(options?: CallOptions): Promise<wire.GatewayStatus> {
    return this.call('status', {}, options);
  }

  submitPrompt(
    payload: wire.SubmitPromptPayload,
    extras?: PromptExtras,
    options?: CallOptions,
  ): Promise<wire.RequestAccepted> {
    return this.call('requests.create', { body: { kind: 'submit_prompt', payload, ...extras } }, options);
  }

  interrupt(extras?: RequestExtras, options?: CallOptions): Promise<wire.RequestAccepted> {
    return this.call('requests.create', { body: { kind: 'interrupt', payload: {}, ...extras } }, options);
  }

  /** Interrupts the agent only while the turn of that request is running. */
  interruptTurnOf(requestId: string, extras?: RequestExtras): Promise<wire.RequestAccepted> {
    const payload = { turn_of: requestId };
    return this.call('requests.create', { body: { kind: 'interrupt', payload, ...extras } });
  }

  /** With `wait`, returns when the request has ended. */
  getRequest(id: string, wait = false, options?: CallOptions): Promise<wire.RequestView> {
    return this.call('requests.get', { request_id: id, wait: wait ? '' : undefined }, options);
  }

  /**
   * Ledger entries as they are written. With `after`, those since that event come first. For one request: from its
   * beginning until nothing more can come.
   */
  events(
    wanted: { after?: string | undefined; request_id?: string | undefined },
    signal?: AbortSignal,
  ): AsyncGenerator<ServerEvent> {
    const path = this.#pathOf(question(GATEWAY_PLACES.events, wanted).path);
    if (this.#via) return this.#via.follow(path, signal, wanted.request_id !== undefined);
    return followEvents(this.#target, { path, signal, ends: wanted.request_id !== undefined });
  }

  /** The request that announced a message that is still open; null without one. */
  async announcedBy(messageRef: string, options?: CallOptions): Promise<string | null> {
    const page = await this.call('notifier.decisions', { limit: 1, message_ref: messageRef }, options);
    return page.announced_by ?? null;
  }

  prompt(body: wire.ControlPromptInput, options?: CallOptions): Promise<wire.PromptResult> {
    return this.call('control.prompt', { body }, options);
  }

  sendKeys(body: wire.SendKeysInput, options?: CallOptions): Promise<wire.ControlResult> {
    return this.call('control.sendKeys', { body }, options);
  }

  tuiState(options?: CallOptions): Promise<wire.TuiState> {
    return this.call('tui.state', {}, options);
  }

  reminders(options?: CallOptions): Promise<wire.ReminderSet> {
    return this.call('reminders.list', {}, options);
  }

  notifier(options?: CallOptions): Promise<wire.MailNotifierStatus> {
    return this.call('notifier.status', {}, options);
  }
}
