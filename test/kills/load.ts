import { isRouseError } from '../../src/base/index.ts';
import type { Seeded } from '../support/seeded.ts';
import type { KillableAgent, KillWorld } from './kill-world.ts';
import { Witness } from './witness.ts';

/** `asked`: a request filed with the fleet server, announced to its agent and nudged; mostly to idle agents. */
export type Kind = 'request' | 'mail' | 'reminder' | 'message' | 'asked';

/** Something that an agent should receive once. */
export interface Item {
  kind: Kind;
  token: string;
  agent: string;
  /** Its sender got the confirmation. A reminder has no key: it is sent once, and its response may be lost. */
  accepted: boolean;
  /** Its id at the receiver. */
  id: string;
  sentAt: number;
}

const WEIGHTS: Record<Kind, number> = { request: 10, mail: 4, reminder: 3, message: 6, asked: 1 };
/** Mail, reminders and messages are sent only while little is queued: there is always work, but never a long queue. */
const UNDER_WAY = 2;
/** One of them may be retrying while its server is dead. */
const SENDERS = 3;
/** An item that failed and was reported never arrives; after this time it no longer delays the rest. */
const GIVEN_UP_MS = 15_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Keeps sending unique work to every agent, each item until it is accepted. */
export class Load {
  readonly items: Item[] = [];
  readonly witnesses = new Map<string, Witness>();
  #world: KillWorld;
  #random: Seeded;
  #given: AbortSignal;
  #stop = new AbortController();
  #running: Promise<unknown>;

  /** When `signal` aborts, it gives up. */
  constructor(world: KillWorld, random: Seeded, signal: AbortSignal) {
    this.#world = world;
    this.#random = random;
    this.#given = signal;
    for (const agent of world.agents) this.witnesses.set(agent.name, new Witness(agent));
    this.#running = Promise.all(
      world.agents.flatMap((agent) => [this.#flow(agent), this.#answerInbox(agent)]),
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  timesSeen({ agent, token }: Item): number {
    return this.witnesses.get(agent)!.seen.get(token) ?? 0;
  }

  look(): void {
    for (const witness of this.witnesses.values()) witness.look();
  }

  async #flow(agent: KillableAgent): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, this.#given]);
    const sending = new Set<Promise<void>>();
    while (!signal.aborted) {
      this.witnesses.get(agent.name)!.look();
      if (sending.size < SENDERS && this.#underWay(agent) < UNDER_WAY) {
        const sent = this.#send(agent).finally(() => sending.delete(sent));
        sending.add(sent);
      }
      await pause(80);
    }
    await Promise.all(sending);
  }

  #underWay({ name }: KillableAgent): number {
    const since = performance.now() - GIVEN_UP_MS;
    return this.items
      .slice(-200)
      .filter(
        (item) =>
          item.agent === name &&
          item.kind !== 'asked' &&
          item.accepted &&
          item.sentAt > since &&
          this.timesSeen(item) === 0,
      ).length;
  }

  async #send(agent: KillableAgent): Promise<void> {
    const token = `item-${String(this.items.length + 1).padStart(6, '0')}`;
    const kind = this.#random.weighted(WEIGHTS);
    const item: Item = { kind, token, agent: agent.name, accepted: false, id: '', sentAt: performance.now() };
    this.items.push(item);
    while (!item.accepted && !this.#given.aborted) {
      try {
        item.id = await this.#sendAs[kind](agent, token);
        item.accepted = true;
      } catch (error) {
        if (!isRouseError(error)) throw error;
        if (kind === 'reminder') return;
        await pause(60);
      }
    }
    item.sentAt = performance.now();
  }

  #sendAs: Record<Kind, (agent: KillableAgent, token: string) => Promise<string>> = {
    request: async ({ client }, token) => {
      const extras = { idempotency_key: token };
      return (await client.submitPrompt({ prompt: `Please do ${token} now.` }, extras)).request_id;
    },
    mail: async ({ client }, token) => {
      const mail = { subject: `About ${token}`, body_content: 'do it', idempotency_key: token };
      return (await client.call('mail.post', { body: mail })).message.message_ref;
    },
    reminder: async ({ client }, token) => {
      const due = {
        mode: 'one_off',
        ranking: this.items.length,
        start_after_seconds: 0.1,
        paused: false,
      } as const;
      const definition = {
        ...due,
        title: token,
        prompt: `Remember ${token}.`,
        durable: true,
        missed: 'once',
      } as const;
      return (await client.call('reminders.create', { body: { reminders: [definition] } })).reminders[0]!
        .reminder_id;
    },
    message: async ({ workspaceId }, token) => {
      const message = {
        kind: 'message',
        role: 'user',
        messageId: token,
        parts: [{ kind: 'text', text: `A message: ${token}.` }],
      };
      const call = { jsonrpc: '2.0', id: token, method: 'message/send', params: { message } };
      const { result, error } = await this.#world.user.request<{ result?: { id: string }; error?: unknown }>(
        'POST',
        `/a2a/${workspaceId}`,
        call,
      );
      if (!result) throw new Error(`the message was not taken: ${JSON.stringify(error)}`);
      return result.id;
    },
    asked: async ({ name }, token) => {
      // The same at each try.
      const idle = this.#world.idle[Number(token.slice(-6)) % (this.#world.idle.length + 1)];
      const to = idle?.name ?? name;
      const task = { kind: 'task', recipient_type: 'agent', recipient_id: to, title: `Asked: ${token}` };
      const body = { ...task, idempotency_key: token };
      return (await this.#world.user.request<{ request_id: string }>('POST', '/requests', body)).request_id;
    },
  };

  /** Now and then answers a request of the agent that was nudged. */
  async #answerInbox({ fleet, workspaceId }: KillableAgent): Promise<void> {
    const roof = `/workspaces/${workspaceId}/requests`;
    const signal = AbortSignal.any([this.#stop.signal, this.#given]);
    while (!signal.aborted) {
      await pause(1000);
      try {
        const { requests } = await fleet.request<{ requests: { id: string }[] }>('GET', `${roof}/inbox`);
        // One stays open, so that there is always something to nudge.
        for (const { id } of requests.slice(1))
          await fleet.request('POST', `${roof}/${id}/respond`, { action: 'done' });
      } catch (error) {
        if (!isRouseError(error)) throw error;
      }
    }
  }
}
