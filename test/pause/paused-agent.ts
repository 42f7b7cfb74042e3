import * as fs from 'node:fs';
import * as path from 'node:path';
import type { TestFleet } from '../support/fleet.ts';
import type { Seeded } from '../support/seeded.ts';
import type { TestWorld, WorldAgent } from '../support/test-world.ts';

/** What types into an agent without a person asking. */
export const CAUSES = ['mail', 'reminder', 'message'] as const;
export type Cause = (typeof CAUSES)[number];

/** Something that was caused, by the text that must reach the agent. Mail has none: any wake after it counts. */
export interface Caused {
  cause: Cause;
  text: string;
  /** Of a message: its id on the server. Of a reminder: its id. */
  id: string;
}

interface Sent {
  facts: { sent?: string };
  atUtc?: string;
  at_utc?: string;
}

/** One scripted agent with everything that types into it, whose gateway may be killed. */
export class PausedAgent {
  readonly agent: WorldAgent;
  readonly #fleet: TestFleet;
  readonly #world: TestWorld;
  #workspace = '';
  #count = 0;

  private constructor(world: TestWorld, fleet: TestFleet, agent: WorldAgent) {
    this.#world = world;
    this.#fleet = fleet;
    this.agent = agent;
  }

  static async open(world: TestWorld, fleet: TestFleet, name: string): Promise<PausedAgent> {
    const agent = await world.agent(name, ['--turn', '30ms', '--act-on-mail', '--reply', '']);
    const opened = new PausedAgent(world, fleet, agent);
    opened.#workspace = (await fleet.admin.agent(name)).workspace_id;
    await agent.client.call('notifier.enable', { body: { interval_seconds: 3600, repeat: 'on_change' } });
    return opened;
  }

  get received(): string[] {
    return this.agent.received();
  }

  /** The prompts that are wakes for mail. */
  get wakes(): number {
    return this.received.filter((text) => !text.startsWith('Case ')).length;
  }

  async cause(cause: Cause): Promise<Caused> {
    const text = `Case ${++this.#count}: a ${cause}.`;
    switch (cause) {
      case 'mail': {
        const body = { subject: text, body_content: 'do it' };
        const { message } = await this.#patiently(() => this.agent.client.call('mail.post', { body }));
        return { cause, text, id: message.message_ref };
      }
      case 'reminder': {
        const once = { mode: 'one_off' as const, title: text, prompt: text, ranking: 0, durable: true };
        const body = { reminders: [{ ...once, start_after_seconds: 0.01, missed: 'once' as const }] };
        const { reminders } = await this.#patiently(() =>
          this.agent.client.call('reminders.create', { body }),
        );
        return { cause, text, id: reminders[0]!.reminder_id };
      }
      case 'message': {
        const { enqueue } = await import('../../src/fleet/index.ts');
        const { id } = await enqueue(this.#fleet.sql, {
          orgId: this.#fleet.orgId,
          workspaceId: this.#workspace,
          priority: 50,
          method: 'message/send',
          body: { params: { message: { role: 'user', parts: [{ kind: 'text', text }] } } },
        });
        return { cause, text, id };
      }
    }
  }

  /** Kills the gateway; its keeper starts it again. */
  kill(): void {
    try {
      process.kill(
        Number(fs.readFileSync(path.join(this.agent.root, 'run', 'gateway.pid'), 'utf8')),
        'SIGKILL',
      );
    } catch {
      // It has just been killed.
    }
  }

  /** Pauses it; a gateway that was killed is asked again. Returns when that was certain. */
  async pause(): Promise<number> {
    await this.#patiently(() => this.agent.client.call('pause.begin', { body: {} }));
    return Date.now();
  }

  async resume(): Promise<number> {
    const before = Date.now();
    await this.#patiently(() => this.agent.client.call('pause.end', {}));
    return before;
  }

  async prompt(): Promise<void> {
    const prompt = `Case ${++this.#count}: typed by a person.`;
    await this.#patiently(async () => {
      if (this.received.includes(prompt)) return;
      await this.agent.client.call('control.prompt', { body: { prompt } });
    });
  }

  /** Everything that was caused and not delivered is held by the pause, and the composer is empty. */
  async held(caused: readonly Caused[]): Promise<void> {
    await this.#world.until(async () => {
      try {
        const { client } = this.agent;
        const { standing, active_execution } = await client.status();
        if (!standing?.paused || active_execution !== 'idle') return false;
        const state = await client.call('tui.state', {});
        if (state.surface.editing_input !== 'no') return false;
        for (const each of caused) if (!(await this.#isHeld(each))) return false;
        return true;
      } catch {
        return false;
      }
    });
  }

  async #isHeld({ cause, text, id }: Caused): Promise<boolean> {
    const { client } = this.agent;
    if (this.received.includes(text)) return true;
    switch (cause) {
      case 'mail': {
        const { message } = await client.call('mail.peek', { body: { message_ref: id } });
        if (message.archived) return true;
        const { requests } = await client.call('requests.list', { limit: 20, state: 'accepted' });
        if (requests.some(({ request_kind }) => request_kind === 'mail_notifier_prompt')) return true;
        const { held_back } = await client.notifier();
        return held_back?.startsWith('paused until') === true;
      }
      case 'reminder': {
        const { reminders } = await client.call('reminders.list', {});
        const found = reminders.find(({ reminder_id }) => reminder_id === id);
        // Those behind another wait for it.
        return found === undefined || /^(paused until|behind)/.test(found.waiting_reason ?? '');
      }
      case 'message': {
        const { requests } = await client.call('requests.list', { limit: 50 });
        const found = requests.find((each) => JSON.stringify(each).includes(text));
        return (
          found !== undefined &&
          (found.state !== 'accepted' || /^paused until|^behind/.test(found.waiting_reason ?? ''))
        );
      }
    }
  }

  /** Everything was delivered, or has ended with the reason why not; mail was handled. */
  async delivered(caused: readonly Caused[]): Promise<void> {
    await this.#world.until(async () => {
      try {
        for (const each of caused) if (!(await this.#hasEnded(each))) return false;
        const { queue_depth, active_execution, standing } = await this.agent.client.status();
        return queue_depth === 0 && active_execution === 'idle' && standing?.state === 'idle';
      } catch {
        return false;
      }
    });
  }

  async #hasEnded({ cause, id }: Caused): Promise<boolean> {
    const { client } = this.agent;
    if (cause === 'mail')
      return (await client.call('mail.peek', { body: { message_ref: id } })).message.archived === true;
    if (cause === 'reminder')
      return !(await client.call('reminders.list', {})).reminders.some(
        ({ reminder_id }) => reminder_id === id,
      );
    const { rows } = await this.#fleet.sql.query<{ outcome: string | null }>(
      'SELECT outcome FROM a2a_queue WHERE id = $1::uuid',
      [id],
    );
    return rows[0]?.outcome !== null;
  }

  /** How messages and reminders that did not reach the agent ended. */
  async reported({ cause, text, id }: Caused): Promise<string | null> {
    if (cause === 'message') {
      const { rows } = await this.#fleet.sql.query<{ outcome: string | null }>(
        'SELECT outcome FROM a2a_queue WHERE id = $1::uuid',
        [id],
      );
      return rows[0]?.outcome ?? null;
    }
    const lines = fs.readFileSync(path.join(this.agent.root, 'events.jsonl'), 'utf8').trim().split('\n');
    const ended = lines
      .map((line) => JSON.parse(line) as { kind: string; title?: string; outcome?: string })
      .findLast(({ kind, title }) => title === text && /^reminder_(failed|completed)$/.test(kind));
    return ended?.outcome ?? null;
  }

  /** When the lane sent keys for what no person asked for, as the ledger and the reminders' events have it. */
  async automaticKeys(): Promise<number[]> {
    const { client } = this.agent;
    const { requests } = await client.call('requests.list', { limit: 200 });
    const times: number[] = [];
    for (const { request_id, source } of requests) {
      if (source !== 'notifier' && source !== 'fleet') continue;
      const view = await client.getRequest(request_id);
      times.push(...keysIn(view.result), ...(view.ledger ?? []).flatMap(({ facts }) => keysIn(facts)));
    }
    return times;
  }

  /** A gateway that was killed is asked again until it is back. */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    let last: unknown;
    let done: { value: T } | undefined;
    await this.#world
      .until(async () => {
        try {
          done = { value: await ask() };
          return true;
        } catch (error) {
          last = error;
          return false;
        }
      })
      .catch(() => {
        throw last;
      });
    return done!.value;
  }
}

function keysIn(value: unknown): number[] {
  if (typeof value === 'string') {
    try {
      return keysIn(JSON.parse(value));
    } catch {
      return [];
    }
  }
  if (value === null || typeof value !== 'object') return [];
  const { facts, atUtc, at_utc } = value as Partial<Sent>;
  const own = facts?.sent === 'paste' || facts?.sent === 'enter' ? [Date.parse(atUtc ?? at_utc ?? '')] : [];
  return [...own, ...Object.values(value).flatMap(keysIn)];
}

export const some = <T>(random: Seeded, from: readonly T[]): T[] => from.filter(() => random.next() < 0.6);
