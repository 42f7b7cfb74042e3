import { isRouseError } from '../../src/base/index.ts';
import type { Seeded } from '../support/seeded.ts';
import type { KillableAgent, KillWorld } from './kill-world.ts';
import { Witness } from './witness.ts';

/** `asked`: a request filed with the fleet server, of which its agent is told and reminded; of idle agents mostly. */
export type Kind = 'request' | 'mail' | 'reminder' | 'message' | 'asked';

/** Something an agent is to receive once. */
export interface Item {
  kind: Kind;
  token: string;
  agent: string;
  /** Whoever sent it was told that it is taken over. A reminder has no key: sent once, its answer may be lost. */
  accepted: boolean;
  /** As the receiver calls it. */
  id: string;
  sentAt: number;
}

const WEIGHTS: Record<Kind, number> = { request: 10, mail: 4, reminder: 3, message: 6, asked: 1 };
/** Mail, reminders and messages wait until nothing is in line: there is always something, but never a long line. */
const UNDER_WAY = 2;
/** One of them may try in vain while its server is dead. */
const SENDERS = 3;
/** What failed and said so never arrives; it does not hold up the rest. */
const GIVEN_UP_MS = 15_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Work for every agent all the time, each piece unlike any other, sent until it is accepted. */
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
      // The same again at each try.
      const idle = this.#world.idle[Number(token.slice(-6)) % (this.#world.idle.length + 1)];
      const to = idle?.name ?? name;
      const task = { kind: 'task', recipient_type: 'agent', recipient_id: to, title: `Asked: ${token}` };
      const body = { ...task, idempotency_key: token };
      return (await this.#world.user.request<{ request_id: string }>('POST', '/requests', body)).request_id;
    },
  };

  /** What the agent was asked is answered once it was reminded of it, now and then. */
  async #answerInbox({ fleet, workspaceId }: KillableAgent): Promise<void> {
    const roof = `/workspaces/${workspaceId}/requests`;
    const signal = AbortSignal.any([this.#stop.signal, this.#given]);
    while (!signal.aborted) {
      await pause(1000);
      try {
        const { requests } = await fleet.request<{ requests: { id: string }[] }>('GET', `${roof}/inbox`);
        // One stays, so that there is always somebody to be reminded.
        for (const { id } of requests.slice(1))
          await fleet.request('POST', `${roof}/${id}/respond`, { action: 'done' });
      } catch (error) {
        if (!isRouseError(error)) throw error;
      }
    }
  }
}
