import { isRouseError, newUuid } from '../../src/base/index.ts';
import { FleetClient } from '../../src/client/index.ts';
import { drawnFor } from '../support/sample.ts';
import type { Seeded } from '../support/seeded.ts';
import { persist, type ReplicaServers } from './replica-servers.ts';

/** The current addresses of the servers, and a token that registers agents. */
export type Servers = Pick<ReplicaServers, 'urls' | 'token'>;

type Ack = { id: string; attempt: number; result: 'accepted' };

/**
 * An agent and its gateway as the servers see them: registers, beats at any server that responds, stores messages by their
 * id, and acknowledges until that succeeds. It answers its inbox when a nudge comes, or ignores it.
 */
export class ReplicaAgent {
  readonly name: string;
  workspaceId = '';
  /** Ids of accepted messages, as in its durable queue: they survive restarts. */
  readonly received = new Map<string, 'nudge' | 'other'>();
  /** How often a message came again because the acknowledgement was lost. */
  repeated = 0;
  readonly #random: Seeded;
  #servers: Servers;
  #acts: () => boolean;
  #token = '';
  #session = '';
  #acks: Ack[] = [];
  #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor(name: string, servers: Servers, acts: () => boolean) {
    this.name = name;
    this.#random = drawnFor(`agent ${name}`);
    this.#servers = servers;
    this.#acts = acts;
  }

  async start(): Promise<void> {
    this.#stop = new AbortController();
    await this.#register();
    this.#running = this.#live();
  }

  /** Ends at any point; received messages stay. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#acks = [];
  }

  async #register(): Promise<void> {
    this.#session = `session-${newUuid()}`;
    await persist(async () => {
      const answer = await this.#client(this.#servers.token).register({
        agent_id: this.name,
        name: this.name,
        session_id: this.#session,
        take_over: true,
        max_concurrent_tasks: 8,
      });
      this.workspaceId = answer.workspace_id;
      this.#token = answer.auth_token;
    });
  }

  #client(token: string): FleetClient {
    const { urls } = this.#servers;
    const url = urls[this.#random.whole(0, urls.length - 1)];
    if (!url) throw new Error('no server answers');
    return new FleetClient({ url, token, timeoutMs: 5000 });
  }

  async #live(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#beat();
      } catch (error) {
        if (isRouseError(error) && error.code === 'unauthorized') await this.#register();
        else await persist(async () => {});
      }
      await new Promise<void>((resolve) => setTimeout(resolve, 30));
    }
  }

  async #beat(): Promise<void> {
    const acks = [...this.#acks];
    const { messages } = await this.#client(this.#token).heartbeat({
      session_id: this.#session,
      active_tasks: 0,
      wait_seconds: 0.3,
      acks,
    });
    this.#acks = this.#acks.filter((ack) => !acks.includes(ack));
    let nudged = false;
    for (const { id, attempt, body } of messages) {
      const kind = JSON.stringify(body).includes('inbox_nudge') ? 'nudge' : 'other';
      if (this.received.has(id)) this.repeated++;
      else if (kind === 'nudge') nudged = true;
      this.received.set(id, kind);
      this.#acks.push({ id, attempt, result: 'accepted' });
    }
    if (nudged && this.#acts()) await this.#answerInbox();
  }

  async #answerInbox(): Promise<void> {
    const roof = `/workspaces/${this.workspaceId}/requests`;
    const { requests } = await this.#client(this.#token).request<{ requests: { id: string }[] }>(
      'GET',
      `${roof}/inbox`,
    );
    for (const { id } of requests) {
      await this.#client(this.#token)
        .request('POST', `${roof}/${id}/respond`, { action: 'done' })
        .catch((error) => {
          // Answered before, but the response was lost with the server.
          if (!isRouseError(error) || error.code !== 'conflict') throw error;
        });
    }
  }
}
