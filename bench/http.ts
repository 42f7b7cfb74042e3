import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as http from 'node:http';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Ending, sleep, systemClock } from '../src/base/index.ts';
import { openSqlite } from '../src/db/index.ts';
import { setLimits } from '../src/domain/index.ts';
import { PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from '../src/gateway/queue/index.ts';
import { TestWorld } from '../test/support/test-world.ts';
import { bareServer } from './support/bare-server.ts';
import { startOlderGateway } from './support/older-gateway.ts';
import { queuePeers } from './support/queue-peers.ts';
import {
  type Contender,
  inTurn,
  line,
  type Measured,
  type Played,
  playSlice,
  type Slice,
  warmUp,
} from './support/rounds.ts';

const PROMPT = 'Review the last change and say what is wrong with it. '.repeat(4);
const BODY = JSON.stringify({ schema_version: 1, kind: 'submit_prompt', payload: { prompt: PROMPT } });
const ROUNDS = 8;
const SLICE_MS = 300;
const CLIENTS = 64;
/** A pause before requests, in which the server rests and V8 collects garbage. */
const REST_MS = 30_000;
/** Requests until V8 has optimised a server's code. */
const WARM_UP = 3000;
/** Nothing leaves the queue here, so its limits must not be reached. */
const ENDLESS = { ROUSE_MAX_QUEUE_ROWS: '1000000', ROUSE_MAX_QUEUE_BYTES: '1000000000' };
const BARE = 'bare node:http, the same commit';

/**
 * Accepts over HTTP, from the socket to the commit and back: a gateway, a bare server with the same commit, and other queues
 * behind the same bare server, each in its own process; and a gateway of an older commit, if one is named.
 * `npm run bench -- http [--scale 1] [--no-peers] [--beside commit]`
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  setLimits(ENDLESS);
  if (args[0] === 'serve') return serve(args[1]!);
  const options = {
    scale: { type: 'string' },
    'no-peers': { type: 'boolean' },
    beside: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const scale = Number(values.scale ?? 1);
  const ending = new Ending();
  try {
    const ours = { name: 'rouse gateway', ...(await startGateway(ending)) };
    const servers = [ours, ...(await startServers(['queue'], ending))];
    if (values.beside !== undefined)
      servers.push({
        name: `a gateway of ${values.beside}`,
        ...(await startOlderGateway(values.beside, ENDLESS, ending)),
      });
    if (!values['no-peers']) servers.push(...(await startServers(['peers'], ending)));
    const within = await startWithin(ending);
    await sleep(systemClock, REST_MS);
    for (const { port } of servers) await warm(port);
    for (const { title, clients, keepAlive } of [
      { title: 'one client, kept alive', clients: 1, keepAlive: true },
      { title: `${CLIENTS} clients, kept alive`, clients: CLIENTS, keepAlive: true },
      { title: 'one client, a connection each', clients: 1, keepAlive: false },
      { title: `${CLIENTS} clients, a connection each`, clients: CLIENTS, keepAlive: false },
    ]) {
      const agent = new http.Agent({ keepAlive, maxSockets: clients });
      const contenders = [
        within,
        ...servers.map(({ name, port }) => ({ name, op: () => post(port, agent) })),
      ];
      await warmUp(contenders, 200);
      const spent = processorTimes(servers);
      const found = await inTurn(contenders, { clients, rounds: ROUNDS, sliceMs: SLICE_MS * scale });
      const each = spent(found);
      agent.destroy();
      print(`\n${title}`);
      for (const { name } of servers)
        print(line(name, found.get(name)!, name === ours.name ? undefined : found.get(ours.name)));
      const mine = found.get(ours.name)!;
      print(
        `  processor time of an accept: ${each.get(ours.name)!.toFixed(0)} µs, bare ${each.get(BARE)!.toFixed(0)} µs: ` +
          `${(each.get(ours.name)! / each.get(BARE)!).toFixed(2)}`,
      );
      print(
        `  bare server ÷ ours: ${(found.get(BARE)!.perSecond / mine.perSecond).toFixed(2)} (goal with one client: 2)`,
      );
      if (clients === CLIENTS && keepAlive) {
        const { perSecond } = found.get(within.name)!;
        print(
          `  ours ÷ ${within.name} (${perSecond.toFixed(0)}/s): ${(mine.perSecond / perSecond).toFixed(3)} (goal 0.25)`,
        );
      }
    }
  } finally {
    await ending.run();
  }
}

async function warm(port: number): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });
  let left = WARM_UP;
  const client = async (): Promise<void> => {
    while (left-- > 0) await post(port, agent);
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  agent.destroy();
}

function post(port: number, agent: http.Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) };
    const request = http.request(
      { port, host: '127.0.0.1', method: 'POST', path: '/v1/requests', agent, headers },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`port ${port} answered ${response.statusCode}`));
        response.resume().on('end', resolve);
      },
    );
    request.on('error', reject);
    request.end(BODY);
  });
}

/** The processor time of each server per accept, from now on: other load hardly affects it, unlike a rate. */
function processorTimes(servers: readonly Named[]): (found: Map<string, Measured>) => Map<string, number> {
  const used = ({ pid }: Named): number => {
    const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  };
  const known = servers.filter(({ pid }) => pid !== undefined);
  const before = known.map(used);
  return (found) =>
    new Map(
      known.map((server, i) => [server.name, (used(server) - before[i]!) / found.get(server.name)!.count]),
    );
}

async function startGateway(ending: Ending): Promise<{ port: number; pid: number }> {
  const world = new TestWorld();
  ending.add(() => world.close());
  world.gatewayEnv = ENDLESS;
  const agent = await world.agent('ana');
  // Nothing is typed, so accepted requests wait.
  await agent.control.send('open-dialog');
  return { port: Number(new URL(agent.base).port), pid: agent.pid };
}

type Named = { name: string; port: number; pid?: number };

async function startServers(kinds: string[], ending: Ending): Promise<Named[]> {
  const found: Named[] = [];
  for (const kind of kinds) {
    const child = startChild(kind, ending);
    found.push(...((await once(child, 'message'))[0] as Named[]));
  }
  return found;
}

function startChild(kind: string, ending: Ending): ChildProcess {
  const child = fork(fileURLToPath(import.meta.url), ['serve', kind]);
  ending.add(async () => {
    if (child.exitCode !== null) return;
    child.disconnect();
    await once(child, 'exit');
  });
  return child;
}

/** Serves our queue or that of another project, each behind its own bare server; `within`: our queue without a server. */
async function serve(kind: string): Promise<void> {
  const ending = new Ending();
  process.on('disconnect', async () => {
    await ending.run();
    process.exit(0);
  });
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-bench-http-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  if (kind === 'within') {
    const { op } = ownQueue(directory, ending);
    process.on('message', async (slice: Slice) => process.send!(await playSlice(op, slice)));
    return;
  }
  const contenders =
    kind === 'queue'
      ? [ownQueue(directory, ending)]
      : await queuePeers(directory, { prompt: PROMPT }, { print: console.log, ending });
  const served: Named[] = [];
  for (const { name, op } of contenders) {
    const { port, close } = await bareServer(async () => {
      await op();
      return { request_id: name, state: 'accepted' };
    });
    ending.add(close);
    served.push({ name, port, ...(kind === 'queue' && { pid: process.pid }) });
  }
  process.send!(served);
}

function ownQueue(directory: string, ending: Ending): Contender {
  const db = openSqlite({ file: path.join(directory, 'queue.sqlite'), migrations: QUEUE_MIGRATIONS });
  ending.add(() => db.close());
  const queue = new RequestQueue(db, systemClock);
  const input = {
    kind: 'submit_prompt',
    payload: { prompt: PROMPT },
    source: 'http',
    priority: PRIORITY.normal,
    epoch: 1,
  };
  return { name: BARE, op: () => queue.accept(input as never) };
}

/** The baseline without HTTP: clients and queue in one process, separate from the process that calls the servers. */
async function startWithin(ending: Ending): Promise<Contender> {
  const child = startChild('within', ending);
  const slice = async (asked: Slice): Promise<Played> => {
    child.send(asked);
    return (await once(child, 'message'))[0] as Played;
  };
  await slice({ clients: CLIENTS, ms: 300 });
  return { name: 'the same queue within one process', op: () => {}, slice };
}
