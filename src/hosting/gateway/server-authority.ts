import * as path from 'node:path';
import { readIfExists, unavailable } from '../../base/index.ts';
import {
  exchange,
  type FleetAnswer,
  type FleetInput,
  type FleetRouteId,
  fleetQuestion,
  ownerToken,
} from '../../client/index.ts';
import type { InternalPromptBody, TurnView } from '../../wire/index.ts';

export type ServerState = FleetAnswer<'agents.internal.state'>;

/** How long the server may hold a response, and how much longer we wait for it. */
const HELD_SECONDS = 20;
const PATIENCE_MS = 10_000;

/** The server that runs the turns of this session, as its manifest names it. No other server is called. */
export class ServerAuthority {
  readonly baseUrl: string;
  readonly #agent: { agent_ref: string };
  readonly #tokenFile: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor({
    baseUrl,
    agentRef,
    sessionRoot,
    env,
  }: { baseUrl: string; agentRef: string; sessionRoot: string; env: NodeJS.ProcessEnv }) {
    this.#env = env;
    this.baseUrl = baseUrl;
    this.#agent = { agent_ref: agentRef };
    this.#tokenFile = path.join(sessionRoot, 'fleet', 'token');
  }

  /** Returns the current state, or the next one if `seen` is the current. */
  state(seen: string | undefined, signal?: AbortSignal): Promise<ServerState> {
    const held = seen === undefined ? {} : { seen, wait_seconds: HELD_SECONDS };
    return this.#ask('agents.internal.state', { ...this.#agent, ...held }, signal);
  }

  prompt(body: Omit<InternalPromptBody, 'schema_version'>, signal?: AbortSignal): Promise<TurnView> {
    return this.#ask('agents.internal.prompt', { ...this.#agent, body }, signal);
  }

  /** Returns the turn once it has changed since that revision, or has ended. */
  turn(turnId: string, after: number, signal?: AbortSignal): Promise<TurnView> {
    const wanted = { turn_id: turnId, after, wait_seconds: HELD_SECONDS };
    return this.#ask('agents.turns.get', { ...this.#agent, ...wanted }, signal);
  }

  async turnOfRequest(requestId: string, signal?: AbortSignal): Promise<TurnView | undefined> {
    const { turns } = await this.#ask('agents.turns.list', { ...this.#agent, limit: 1000 }, signal);
    return turns.find((turn) => turn.request_id === requestId);
  }

  /** Returns false if there was nothing to interrupt. */
  async interrupt(): Promise<boolean> {
    const { disposition } = await this.#ask('agents.interrupt', this.#agent);
    return disposition === 'accepted';
  }

  async #ask<K extends FleetRouteId>(
    id: K,
    input: FleetInput<K>,
    signal?: AbortSignal,
  ): Promise<FleetAnswer<K>> {
    const { hostname, port } = new URL(this.baseUrl);
    const target = {
      host: hostname,
      port: Number(port || 80),
      timeoutMs: HELD_SECONDS * 1000 + PATIENCE_MS,
      token: readIfExists(this.#tokenFile)?.trim() || ownerToken(this.#env, this.baseUrl),
    };
    const answer = await exchange(target, { ...fleetQuestion(id, input), signal });
    if (answer !== null && typeof answer === 'object') return answer as FleetAnswer<K>;
    throw unavailable(`the response of ${this.baseUrl} is not an object`);
  }
}
