import type { Ending } from '../../src/base/index.ts';
import { type TestGateway, testGateway } from '../../src/gateway/testing.ts';
import { openSurface } from '../../src/terminal/index.ts';
import type { ScriptedWorld } from '../scripted/scripted-world.ts';
import { Seeded } from '../support/seeded.ts';
import { promptOf } from './prompt-of.ts';
import { TestPane } from './test-pane.ts';

/** What is wrong with the tool while several requests are queued. */
export const TROUBLES = [
  'hung',
  'stopped',
  'late_echo',
  'late_redraw',
  'logged_out',
  'gateway_restarted',
] as const;
export type Trouble = (typeof TROUBLES)[number] | 'never_back';

export interface Asked {
  trouble: Trouble;
  text: string;
  requestId: string;
  state: string;
  outcome: string | null;
  detail: string | null;
  reason: string | null;
}

export interface StormSize {
  seed: number;
  /** Prompts per trouble, for each of the `panes` agents that have it at once. */
  each: number;
  inLine: number;
  longestLateMs: number;
  longestHangMs: number;
}

/** One agent with a gateway, several queued requests, and one repeated trouble. */
export class QueueStorm {
  readonly #pane: TestPane;
  readonly #ending: Ending;
  readonly #random: Seeded;
  readonly #size: StormSize;
  #gateway: TestGateway | undefined;
  readonly asked: Asked[] = [];
  /** How many of them had not ended when the trouble began. */
  struck = 0;

  constructor(world: ScriptedWorld, ending: Ending, size: StormSize, statusFile: boolean) {
    this.#pane = new TestPane(world, { shell: true, flags: ['--turn', '40ms'], statusFile });
    this.#ending = ending;
    this.#random = new Seeded(size.seed);
    this.#size = size;
  }

  /** Runs all prompts of this trouble, several at a time; then, if requested, those that the tool never answers. */
  async run(trouble: Trouble): Promise<this> {
    await this.#pane.begin();
    this.#gateway = await this.#open();
    await this.#free();
    for (let done = 0; done < this.#size.each; done += this.#size.inLine) {
      const count = Math.min(this.#size.inLine, this.#size.each - done);
      if (trouble === 'never_back') await this.#neverBack(count);
      else await this.#line(trouble, count);
    }
    return this;
  }

  async close(): Promise<void> {
    await this.#gateway?.gateway.stop('the storm is over');
    await this.#pane.close();
  }

  records(): ReturnType<TestPane['records']> {
    return this.#pane.records();
  }

  #open(): Promise<TestGateway> {
    const pane = this.#pane;
    return testGateway(this.#ending, {
      config: {
        openSurface: ({ laneLock, log }) => openSurface({ ...pane.surfaceOptions(), laneLock, log }),
      },
    });
  }

  /** Uses a new connection: a kept one may be closed just when the next call is made. */
  #call(method: string, route: string, body?: unknown): ReturnType<TestGateway['call']> {
    return this.#gateway!.call(method, route, body, { connection: 'close' });
  }

  /** Queues several requests, begins and ends the trouble, and waits until each of them has ended. */
  async #line(trouble: Trouble, count: number): Promise<void> {
    const { control } = this.#pane;
    const random = this.#random;
    const { longestLateMs, longestHangMs } = this.#size;
    const late = { ms: random.whole(Math.min(500, longestLateMs), longestLateMs) };
    if (trouble === 'late_echo') await control.send('echo-late', late);
    if (trouble === 'late_redraw') await control.send('slow-redraw', late);
    if (trouble === 'logged_out') await control.send('log-out');
    const ids = await this.#submit(trouble, count);
    const hangMs = random.whole(100, longestHangMs);
    await pause(random.whole(0, 400));
    if (trouble === 'hung') {
      await control.send('hang');
      await this.#strike(ids);
      await pause(hangMs);
      await control.send('unhang');
    } else if (trouble === 'stopped') {
      const { pid } = (await control.send('status')) as { pid: number };
      process.kill(pid, 'SIGSTOP');
      await this.#strike(ids);
      await pause(hangMs);
      process.kill(pid, 'SIGCONT');
    } else if (trouble === 'logged_out') {
      await this.#waitsFor(ids[1] ?? ids[0]!, 'logged_out=');
      await this.#strike(ids);
      await control.send('log-in');
    } else if (trouble === 'gateway_restarted') {
      await control.send('hang');
      await this.#strike(ids);
      await pause(hangMs);
      this.#gateway = await this.#gateway!.restart();
      await control.send('unhang');
    }
    if (trouble.startsWith('late_')) this.struck += count;
    await this.#ended(ids);
    await control.send('clear-faults');
    await this.#free();
  }

  async #neverBack(count: number): Promise<void> {
    await this.#pane.control.send('hang');
    const ids = await this.#submit('never_back', count);
    await this.#waitsFor(ids[1] ?? ids[0]!, 'unseen_paste=');
    await this.#strike(ids);
    await this.#note(ids);
  }

  async #submit(trouble: Trouble, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index++) {
      const size = Number(this.#random.weighted({ 200: 8, 4096: 2 }));
      const text = promptOf(this.#random, size, `${this.#size.seed}-${trouble}-${this.asked.length}`);
      const body = { kind: 'submit_prompt', payload: { prompt: text } };
      const answer = await this.#call('POST', '/v1/requests', body);
      if (answer.status !== 200) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`);
      const requestId = answer.body.request_id as string;
      this.asked.push({ trouble, text, requestId, state: '', outcome: null, detail: null, reason: null });
      ids.push(requestId);
    }
    return ids;
  }

  async #ended(ids: string[]): Promise<void> {
    for (const id of ids) await this.#call('GET', `/v1/requests/${id}?wait`);
    await this.#note(ids);
  }

  async #strike(ids: string[]): Promise<void> {
    for (const id of ids) {
      const { body } = await this.#call('GET', `/v1/requests/${id}`);
      if (body.state !== 'completed') this.struck++;
    }
  }

  async #note(ids: string[]): Promise<void> {
    for (const id of ids) {
      const { body } = await this.#call('GET', `/v1/requests/${id}`);
      const { state, outcome, error_detail: detail, waiting_reason: reason } = body;
      Object.assign(this.asked.find(({ requestId }) => requestId === id)!, {
        state,
        outcome,
        detail,
        reason,
      });
    }
  }

  async #waitsFor(id: string, ...reasons: string[]): Promise<void> {
    for (;;) {
      const { body } = await this.#call('GET', `/v1/requests/${id}`);
      const waitingFor = String(body.waiting_reason ?? '');
      if (body.state === 'completed' || reasons.some((reason) => waitingFor.includes(reason))) return;
      await pause(50);
    }
  }

  /** Waits until nothing runs and the agent may be disturbed. */
  async #free(): Promise<void> {
    for (;;) {
      const { body } = await this.#call('GET', '/v1/status');
      if (body.terminal_surface_eligibility === 'ready' && body.active_execution === 'idle') return;
      await pause(50);
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
