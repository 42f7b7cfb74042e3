import * as path from 'node:path';
import { readIfExists, unavailable } from '../../base/index.ts';
import { exchange, ownerToken, segment } from '../../client/index.ts';
import type { HeadlessState, Observation } from '../../terminal/index.ts';
import type { InternalPromptBody, TurnView } from '../../wire/index.ts';

export interface ServerState {
  observation: Observation;
  headless: HeadlessState;
  /** Give it back to be answered when the state differs from this one. */
  seen: string;
}

/** How long the server may hold an answer, and how much longer we wait for it. */
const HELD_SECONDS = 20;
const PATIENCE_MS = 10_000;

/** The server that runs the turns of this session, as its manifest names it. Nobody else is asked. */
export class ServerAuthority {
  readonly baseUrl: string;
  readonly #agent: string;
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
    this.#agent = `/houmao/agents/${segment(agentRef, 'agent ref')}`;
    this.#tokenFile = path.join(sessionRoot, 'fleet', 'token');
  }

  /** The state now, or, when it was seen already, the next one. */
  async state(seen: string | undefined, signal?: AbortSignal): Promise<ServerState> {
    const query = seen === undefined ? '' : `?seen=${seen}&wait_seconds=${HELD_SECONDS}`;
    const answer = await this.#ask('GET', `/gateway/internal/headless-state${query}`, { signal });
    return answer as unknown as ServerState;
  }

  prompt(body: Omit<InternalPromptBody, 'schema_version'>, signal?: AbortSignal): Promise<TurnView> {
    return this.#ask('POST', '/gateway/internal/headless-prompt', { body, signal });
  }

  /** The turn once it has changed since that revision, or has ended. */
  turn(turnId: string, after: number, signal?: AbortSignal): Promise<TurnView> {
    const query = `?after=${after}&wait_seconds=${HELD_SECONDS}`;
    return this.#ask('GET', `/turns/${segment(turnId, 'turn id')}${query}`, { signal });
  }

  async turnOfRequest(requestId: string, signal?: AbortSignal): Promise<TurnView | undefined> {
    const { turns } = await this.#ask<{ turns: TurnView[] }>('GET', '/turns?limit=1000', { signal });
    return turns.find((turn) => turn.request_id === requestId);
  }

  /** False when there was nothing to interrupt. */
  async interrupt(): Promise<boolean> {
    const { disposition } = await this.#ask<{ disposition: string }>('POST', '/interrupt', { body: {} });
    return disposition === 'accepted';
  }

  async #ask<T = Record<string, unknown>>(
    method: 'GET' | 'POST',
    rest: string,
    { body, signal }: { body?: object; signal?: AbortSignal | undefined },
  ): Promise<T> {
    const { hostname, port } = new URL(this.baseUrl);
    const target = {
      host: hostname,
      port: Number(port || 80),
      timeoutMs: HELD_SECONDS * 1000 + PATIENCE_MS,
      token: readIfExists(this.#tokenFile)?.trim() || ownerToken(this.#env, this.baseUrl),
    };
    const answer = await exchange(target, { method, path: this.#agent + rest, body, signal });
    if (answer !== null && typeof answer === 'object') return answer as T;
    throw unavailable(`${this.baseUrl} answered with something that is not an object`);
  }
}
