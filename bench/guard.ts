import { fork } from 'node:child_process';
import { once } from 'node:events';
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import { silentLog } from '../src/base/index.ts';
import { Accounts, admit, createApp, listen } from '../src/http/index.ts';
import { middle } from './support/median.ts';

const HOST = '127.0.0.1';
const ROUNDS = 10;
/** Slices are short, so other load on the machine affects both sides alike. */
const SLICES = 20;

const SIDES = ['asking', 'open'] as const;
type Sides = Record<(typeof SIDES)[number], Served>;
type Spent = Record<(typeof SIDES)[number], number>;

/**
 * The cost of asking the kernel who connects: the same server with and without it, alternating, each in its own process.
 * `npm run bench -- guard [requests] [rounds]`; by default 4,000 requests in each of 10 rounds. The time a client waits
 * counts; the processor time of the servers does not depend on other load.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  if (args[0] === 'serve') return serve(args[1] === 'asking');
  const requests = Number(args[0] ?? 4000);
  const rounds = Math.max(ROUNDS, Number(args[1] ?? ROUNDS));
  const servers: Sides = { asking: await start('asking'), open: await start('open') };
  try {
    print(
      `${rounds} rounds of ${requests} requests, alternating every ${Math.ceil(requests / SLICES)}; median (quartiles)`,
    );
    for (const [name, goal, keepAlive] of [
      ['keep-alive', 1.05, true],
      ['a new connection each', 1.25, false],
    ] as const) {
      const waited: number[] = [];
      const worked: number[] = [];
      await round(servers, requests, keepAlive);
      for (let n = 0; n < rounds; n++) {
        const before = await processorTime(servers);
        const spent = await round(servers, requests, keepAlive);
        const after = await processorTime(servers);
        waited.push(spent.asking / spent.open);
        worked.push((after.asking - before.asking) / (after.open - before.open));
      }
      print(
        `${name.padEnd(22)} waiting ${spread(waited)} (goal ${goal}×)   processor time of the server ${spread(worked)}`,
      );
    }
  } finally {
    for (const side of SIDES) servers[side].stop();
  }
}

function spread(ratios: readonly number[]): string {
  const sorted = [...ratios].sort((a, b) => a - b);
  const at = (share: number): string => sorted[Math.floor((sorted.length - 1) * share)]!.toFixed(3);
  return `${middle(ratios).toFixed(3)}× (${at(0.25)}–${at(0.75)})`;
}

/** The milliseconds each side took for the same number of requests. */
async function round(servers: Sides, requests: number, keepAlive: boolean): Promise<Spent> {
  const spent: Spent = { asking: 0, open: 0 };
  const agents = {
    asking: new http.Agent({ keepAlive, maxSockets: 1 }),
    open: new http.Agent({ keepAlive, maxSockets: 1 }),
  };
  for (let slice = 0; slice < SLICES; slice++) {
    for (const side of slice % 2 ? SIDES : SIDES.toReversed()) {
      const begun = performance.now();
      for (let n = 0; n < requests / SLICES; n++) await get(servers[side].port, agents[side]);
      spent[side] += performance.now() - begun;
    }
  }
  for (const side of SIDES) agents[side].destroy();
  return spent;
}

async function processorTime(servers: Sides): Promise<Spent> {
  return { asking: await servers.asking.processorTime(), open: await servers.open.processorTime() };
}

async function serve(asking: boolean): Promise<void> {
  const accounts = new Accounts(asking ? {} : { ownerOf: () => 0 });
  const app: Hono = createApp({ host: HOST, log: silentLog });
  app.use(admit({ host: HOST, accounts, hasToken: () => false, tokenHint: '' }));
  app.get('/', (context) => context.json({ status: 'ok' }));
  const { port } = await listen({ app, accounts }, HOST, 0);
  process.send!(port);
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send!(user + system);
  });
  process.on('disconnect', () => process.exit(0));
}

interface Served {
  port: number;
  /** The processor time so far, in microseconds. */
  processorTime(): Promise<number>;
  stop(): void;
}

function start(kind: keyof Sides): Promise<Served> {
  const child = fork(fileURLToPath(import.meta.url), ['serve', kind]);
  const nextNumber = async (): Promise<number> => Number((await once(child, 'message'))[0]);
  return new Promise((resolve, reject) => {
    child.once('message', (port) =>
      resolve({
        port: Number(port),
        processorTime: () => {
          child.send('time');
          return nextNumber();
        },
        stop: () => child.disconnect(),
      }),
    );
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

function get(port: number, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    http
      .get({ host: HOST, port, path: '/', agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.resume().on('end', resolve);
      })
      .on('error', reject);
  });
}
