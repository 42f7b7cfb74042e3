import { fork } from 'node:child_process';
import * as http from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Hono } from 'hono';
import { silentLog } from '../src/base/index.ts';
import { Accounts, admit, createApp, listen } from '../src/http/index.ts';
import { middle } from './support/median.ts';

const HOST = '127.0.0.1';
const ROUNDS = 10;

/**
 * What asking the kernel who connects costs: the same server with and without it, in turns, each a process of its own.
 * `npm run bench -- guard [requests] [rounds]`; by default 4,000 requests in each of 10 rounds.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  if (args[0] === 'serve') return serve(args[1] === 'asking');
  const requests = Number(args[0] ?? 4000);
  const rounds = Math.max(ROUNDS, Number(args[1] ?? ROUNDS));
  const [asking, open] = [await start('asking'), await start('open')];
  try {
    print(`${rounds} alternating rounds of ${requests} requests; requests per second, median`);
    for (const [name, goal, keepAlive] of [
      ['keep-alive', 1.05, true],
      ['a new connection each', 1.25, false],
    ] as const) {
      const rates = { asking: [] as number[], open: [] as number[], ratio: [] as number[] };
      for (const { port } of [asking, open]) await rate(port, requests, keepAlive);
      for (let round = 0; round < rounds; round++) {
        const order = round % 2 ? (['open', 'asking'] as const) : (['asking', 'open'] as const);
        for (const which of order)
          rates[which].push(await rate({ asking, open }[which].port, requests, keepAlive));
        rates.ratio.push(rates.open.at(-1)! / rates.asking.at(-1)!);
      }
      const [with_, without] = [middle(rates.asking), middle(rates.open)];
      print(
        `${name.padEnd(22)} with ${with_.toFixed(0).padStart(6)}  without ${without.toFixed(0).padStart(6)}  ` +
          `cost ${middle(rates.ratio).toFixed(3)}× (goal ${goal}×)`,
      );
    }
  } finally {
    for (const { stop } of [asking, open]) stop();
  }
}

async function serve(asking: boolean): Promise<void> {
  const accounts = new Accounts(asking ? {} : { ownerOf: () => 0 });
  const app: Hono = createApp({ host: HOST, log: silentLog });
  app.use(admit({ host: HOST, accounts, hasToken: () => false, tokenHint: '' }));
  app.get('/', (context) => context.json({ status: 'ok' }));
  const { port } = await listen({ app, accounts }, HOST, 0);
  process.send!(port);
  process.on('disconnect', () => process.exit(0));
}

function start(kind: 'asking' | 'open'): Promise<{ port: number; stop: () => void }> {
  const child = fork(fileURLToPath(import.meta.url), ['serve', kind]);
  return new Promise((resolve, reject) => {
    child.once('message', (port) => resolve({ port: Number(port), stop: () => child.disconnect() }));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
}

/** One after the other, as an agent's curl would. */
async function rate(port: number, requests: number, keepAlive: boolean): Promise<number> {
  const agent = new http.Agent({ keepAlive, maxSockets: 1 });
  const started = process.hrtime.bigint();
  for (let i = 0; i < requests; i++) await get(port, agent);
  const seconds = Number(process.hrtime.bigint() - started) / 1e9;
  agent.destroy();
  return requests / seconds;
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
