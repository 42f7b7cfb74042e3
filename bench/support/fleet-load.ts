import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface, type Interface } from 'node:readline';
import {
  DELIVERY_ROUTES,
  type HeartbeatAnswer,
  type HeartbeatInput,
  REGISTRY_ROUTES,
} from '../../src/wire/index.ts';
import { BareLoop } from './bare-notify.ts';
import { PERSON, sessionOf, tokenOf, workspaceOf } from './fleet-rows.ts';
import { RawHttp } from './raw-http.ts';

/** An order for the load program, one line each; it returns one line for each. */
export type LoadOrder =
  | { kind: 'connect'; url: string; agents: number }
  | { kind: 'send'; url: string; agents: number; count: number; perSecond: number }
  | { kind: 'bare'; database: string; count: number; perSecond: number };

export interface Latencies {
  p50: number;
  p99: number;
  lost: number;
  doubled: number;
  failed: number;
  /** Heartbeats of all agents so far that got no response and were repeated. */
  again: number;
}

/** The load program: this bundle in a separate process. */
export class Load {
  #child: ChildProcess;
  #lines: Interface;

  constructor() {
    this.#child = spawn(process.execPath, [process.argv[1]!], {
      env: { ...process.env, ROUSE_BENCH_FLEET_LOAD: '1' },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#lines = createInterface({ input: this.#child.stdout! });
  }

  async ask<T>(order: LoadOrder): Promise<T> {
    const answer = nextLine(this.#lines);
    this.#child.stdin!.write(`${JSON.stringify(order)}\n`);
    return JSON.parse(await answer) as T;
  }

  end(): void {
    this.#child.kill();
  }
}

export function nextLine(lines: Interface): Promise<string> {
  return new Promise((resolve, reject) => {
    const closed = (): void => reject(new Error('a program ended too early'));
    lines.once('close', closed);
    lines.once('line', (line) => {
      lines.off('close', closed);
      resolve(line);
    });
  });
}

/** The requested number of gateways in one separate process: the real protocol, without terminals. */
async function runLoad(): Promise<never> {
  const gateways: SimulatedGateway[] = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const wanted = JSON.parse(line) as LoadOrder;
    process.stdout.write(`${JSON.stringify(await execute(wanted, gateways))}\n`);
  }
  process.exit(0);
}

async function execute(wanted: LoadOrder, gateways: SimulatedGateway[]): Promise<unknown> {
  if (wanted.kind === 'bare') return bare(wanted);
  if (wanted.kind === 'send') return sendPaced(wanted);
  const begun = performance.now();
  const added: SimulatedGateway[] = [];
  for (let n = gateways.length + 1; n <= wanted.agents; n++) {
    const gateway = new SimulatedGateway(n, wanted.url);
    gateways.push(gateway);
    added.push(gateway);
    // They start a few at a time, as after a restart of the server.
    if (added.length % 50 === 0) await Promise.all(added.slice(-50).map((each) => each.held));
  }
  await Promise.all(added.map((each) => each.held));
  return { ms: performance.now() - begun };
}

const arrivals = new Map<string, (() => void) | 'arrived'>();
const repeated = { count: 0 };
const lostBeats = { count: 0 };
const SENDING = DELIVERY_ROUTES['a2a.enqueue'].path;
const HEARTBEAT = REGISTRY_ROUTES['registry.heartbeat'].path;

/** Heartbeats are held. Messages are taken and acknowledged with a short heartbeat, and their ends are reported with another. */
class SimulatedGateway {
  /** Resolves when its first heartbeat has returned and the next one is held. */
  readonly held: Promise<void>;
  #http: RawHttp;
  #n: number;
  #instance = randomUUID();
  #beats = 0;
  #taken = new Set<string>();

  constructor(n: number, url: string) {
    this.#n = n;
    this.#http = new RawHttp(url, tokenOf(n));
    this.held = this.#insist({ wait_seconds: 0 }).then(() => void this.#live());
  }

  async #live(): Promise<never> {
    for (;;) await this.#insist({ wait_seconds: 25 });
  }

  async #take({ id, attempt, body }: HeartbeatAnswer['messages'][number]): Promise<void> {
    const request_id = `gwreq-${id}`;
    const acks = [{ id, attempt, result: 'accepted', request_id } as const];
    // Sent again because the acknowledgement was late: a gateway recognises the message by its id.
    if (this.#taken.has(id)) return this.#insist({ acks });
    this.#taken.add(id);
    const text = JSON.stringify(body);
    const mark = /load-[0-9a-f-]{36}/.exec(text)?.[0] ?? '';
    const hear = arrivals.get(mark);
    if (typeof hear === 'function') hear();
    else repeated.count++;
    await this.#insist({ acks });
    const at = new Date().toISOString();
    await this.#insist({
      outcomes: [{ id, request_id, outcome: 'submitted', at, turn_follows: true }],
      turns: [{ id, request_id, state: 'finished', at, result: 'success' }],
    });
  }

  /** Repeats a heartbeat until it gets a response; messages may come with every response. */
  async #insist(more: Partial<HeartbeatInput>): Promise<void> {
    for (;;) {
      try {
        const { messages } = await this.#http.post<HeartbeatAnswer>(HEARTBEAT, {
          session_id: sessionOf(this.#n),
          instance_id: this.#instance,
          beat: ++this.#beats,
          uptime_seconds: Math.floor(performance.now() / 1000),
          active_tasks: 0,
          accepting: true,
          current_task: null,
          state: 'idle',
          runtime_state: '',
          version: '0.1.0',
          host: 'bench',
          host_id: 'bench',
          takes_calls: true,
          mail_version: '',
          ...more,
        } satisfies HeartbeatInput);
        for (const message of messages) void this.#take(message);
        return;
      } catch {
        lostBeats.count++;
        await new Promise((resolve) => setTimeout(resolve, 500 + 1000 * Math.random()));
      }
    }
  }
}

/** Sends messages to random agents at a fixed rate, whether or not earlier ones have arrived. */
async function sendPaced(wanted: Extract<LoadOrder, { kind: 'send' }>): Promise<Latencies> {
  const person = new RawHttp(wanted.url, PERSON);
  repeated.count = 0;
  return paced(wanted, async () => {
    const mark = `load-${randomUUID()}`;
    const arrived = new Promise<void>((resolve) =>
      arrivals.set(mark, () => {
        arrivals.set(mark, 'arrived');
        resolve();
      }),
    );
    const agent = workspaceOf(1 + Math.floor(Math.random() * wanted.agents));
    const message = { messageId: mark, parts: [{ text: mark }] };
    await person.post(SENDING.replace('{workspace_id}', agent), { params: { message } });
    await arrived;
  });
}

async function bare(wanted: Extract<LoadOrder, { kind: 'bare' }>): Promise<Latencies> {
  const loop = await BareLoop.open(wanted.database);
  try {
    return await paced(wanted, () => loop.send());
  } finally {
    await loop.close();
  }
}

const LONGEST_MS = 30_000;

async function paced(
  { count, perSecond }: { count: number; perSecond: number },
  one: () => Promise<void>,
): Promise<Latencies> {
  const took: number[] = [];
  let failed = 0;
  const all: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; n < count; n++) {
    const wait = begun + (n * 1000) / perSecond - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const start = performance.now();
    const late = new Promise<'late'>((resolve) => setTimeout(() => resolve('late'), LONGEST_MS).unref());
    all.push(
      Promise.race([one(), late]).then(
        (end) => void (end === 'late' || took.push(performance.now() - start)),
        (error) => {
          failed++;
          if (failed === 1) process.stderr.write(`${error}\n`);
        },
      ),
    );
  }
  await Promise.all(all);
  took.sort((a, b) => a - b);
  const quantile = (q: number): number =>
    took[Math.min(took.length - 1, Math.floor(q * took.length))] ?? Number.NaN;
  const lost = count - took.length - failed;
  return {
    p50: quantile(0.5),
    p99: quantile(0.99),
    lost,
    doubled: repeated.count,
    failed,
    again: lostBeats.count,
  };
}

// Last, because it uses everything above.
if (process.env['ROUSE_BENCH_FLEET_LOAD'] !== undefined) await runLoad();
