import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { createInterface } from 'node:readline';
import { childrenOf, Ending, sleep, systemClock } from '../src/base/index.ts';
import { startPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { costOfWork } from './support/fleet-flat.ts';
import { type Latencies, Load, nextLine } from './support/fleet-load.ts';
import { addOpen, addPast, type FleetRows, openFleet } from './support/fleet-rows.ts';

const SMALL = { agents: [100, 1000], requests: 50_000, messages: 200_000, sends: 100, restSeconds: 25 };
const FULL = {
  agents: [100, 1000, 10_000],
  requests: 1_000_000,
  messages: 5_000_000,
  sends: 500,
  restSeconds: 30,
};
const PER_SECOND = 10;
const WARM_UP = { count: 300, perSecond: 60 };

type Print = (line: string) => void;

/**
 * Two servers on one PostgreSQL with fsync. What connected agents (simulated gateways in a separate process, each with a
 * held heartbeat) cost the first server; the time of a message from the second server to the agent's gateway, alternating
 * with a bare LISTEN/NOTIFY loop on the same database; then the servers' routine work, with few and with many rows. `npm run bench -- fleet [connected|flat] [--full] [--agents=100,10000]`.
 */
export async function run(print: Print, args: string[]): Promise<void> {
  const numbers = args.find((each) => each.startsWith('--agents='))?.slice('--agents='.length);
  const size = {
    ...(args.includes('--full') ? FULL : SMALL),
    ...(numbers !== undefined && { agents: numbers.split(',').map(Number) }),
  };
  const only = args.find((each) => !each.startsWith('--'));
  const ending = new Ending();
  try {
    const postgres = await startPostgres({ fsync: true });
    ending.add(() => postgres.stop());
    const database = await postgres.createDatabase();
    const rows = await openFleet(database, size.agents.at(-1)! + 1);
    await rows.sql.exec(`ALTER SYSTEM SET max_wal_size = '8GB'`);
    await rows.sql.exec('SELECT pg_reload_conf()');
    ending.add(() => rows.sql.close());
    print(`load ${os.loadavg()[0]!.toFixed(1)} on ${os.cpus().length} processors`);
    if (only !== 'flat') await connected(print, { size, postgres, database, ending });
    if (only !== 'connected') await flat(print, rows, size);
  } finally {
    await ending.run();
  }
}

interface Setting {
  size: typeof SMALL;
  postgres: TestPostgres;
  database: string;
  ending: Ending;
}

async function connected(print: Print, { size, postgres, database, ending }: Setting): Promise<void> {
  const servers = await Promise.all([startServer(database, ending), startServer(database, ending)]);
  const load = new Load();
  ending.add(() => load.end());
  const [held, other] = servers as [Server, Server];
  print(`one server holds the heartbeats, messages go through another, ${PER_SECOND} a second`);
  print(
    '  agents   memory MB  kB each   at rest: server  PostgreSQL % cpu   message p50/p99 ms   bare p50/p99 ms   ratio',
  );
  const empty = rssOf(held.pid);
  for (const agents of size.agents) {
    await load.ask({ kind: 'connect', url: held.url, agents });
    await sleep(systemClock, 2000);
    const [before, began] = [ticks(held.pid, postgres.pid), performance.now()];
    await sleep(systemClock, size.restSeconds * 1000);
    const seconds = (performance.now() - began) / 1000;
    const after = ticks(held.pid, postgres.pid);
    const memory = rssOf(held.pid);
    // Both are warmed up before they are measured.
    await load.ask({ kind: 'send', url: other.url, agents, ...WARM_UP });
    await load.ask({ kind: 'bare', database, ...WARM_UP });
    const ours: Latencies[] = [];
    const bare: Latencies[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const share = { count: size.sends / 4, perSecond: PER_SECOND };
      ours.push(await load.ask<Latencies>({ kind: 'send', url: other.url, agents, ...share }));
      bare.push(await load.ask<Latencies>({ kind: 'bare', database, ...share }));
    }
    const [mine, theirs] = [together(ours), together(bare)];
    print(
      [
        String(agents).padStart(8),
        memory.toFixed(0).padStart(11),
        (((memory - empty) * 1024) / agents).toFixed(0).padStart(8),
        ((after.server - before.server) / seconds).toFixed(1).padStart(17),
        ((after.postgres - before.postgres) / seconds).toFixed(1).padStart(17),
        `${mine.p50.toFixed(1)} / ${mine.p99.toFixed(1)}`.padStart(20),
        `${theirs.p50.toFixed(1)} / ${theirs.p99.toFixed(1)}`.padStart(17),
        `   ${(mine.p50 / theirs.p50).toFixed(1)}x / ${(mine.p99 / theirs.p99).toFixed(1)}x`,
      ].join(''),
    );
    const { lost, doubled, failed, again } = mine;
    print(
      `           ${size.sends} sent: ${lost} lost, ${doubled} doubled, ${failed} refused; ${again} beats made again`,
    );
  }
}

/** The median of the rounds' medians, and of their worst. */
function together(turns: Latencies[]): Latencies {
  const middle = (of: (turn: Latencies) => number): number => {
    const sorted = turns.map(of).sort((a, b) => a - b);
    return (sorted[1]! + sorted[2]!) / 2;
  };
  const sum = (of: (turn: Latencies) => number): number => turns.reduce((total, turn) => total + of(turn), 0);
  return {
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    failed: sum(({ failed }) => failed),
    again: turns.at(-1)!.again,
  };
}

async function flat(
  print: Print,
  rows: FleetRows,
  { agents, requests, messages }: typeof SMALL,
): Promise<void> {
  const among = agents.at(-1)!;
  const [none, few, many] = [0, 100, 1].map((part) => ({
    requests: part === 0 ? 0 : requests / part,
    messages: part === 0 ? 0 : messages / part,
    agents: among,
  })) as [Past, Past, Past];
  await addOpen(rows, 1000, among);
  await addPast(rows, none, few);
  const before = await costOfWork(rows);
  await addPast(rows, few, many);
  const after = await costOfWork(rows);
  print(
    `\nwith ${few.requests} requests and ${few.messages} messages that have ended, and with 100 times as many: entries read, ms`,
  );
  for (const [name, less] of before) {
    const more = after.get(name)!;
    const cells = [less.read, more.read].map((read) => String(read).padStart(9)).join('');
    const times = [less.ms, more.ms].map((ms) => ms.toFixed(2).padStart(10)).join('');
    print(`  ${name.padEnd(38)}${cells}${times}   ${(more.ms / less.ms).toFixed(1)}x`);
  }
}

type Past = Parameters<typeof addPast>[1];

interface Server {
  url: string;
  pid: number;
}

async function startServer(database: string, ending: Ending): Promise<Server> {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-bench-fleet-'));
  const program = path.join(process.env['ROUSE_ROOT']!, 'dist', 'rouse.cjs');
  const child = spawn(
    process.execPath,
    [
      ...(process.env['BENCH_FLAGS']?.split(' ') ?? []),
      program,
      'server',
      'start',
      '--port',
      '0',
      '--print-json',
    ],
    {
      env: { ...process.env, ROUSE_HOME: home, DATABASE_URL: database, ROUSE_MAX_CONNECTIONS: '15000' },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  ending.add(async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
    fs.rmSync(home, { recursive: true, force: true });
  });
  const line = await nextLine(createInterface({ input: child.stdout }));
  return { url: (JSON.parse(line) as { url: string }).url, pid: child.pid! };
}

function rssOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}

/** Hundredths of a second of processor time, so that a difference per second is per cent. */
function ticks(server: number, postgres: number): { server: number; postgres: number } {
  // Including ended children: an unused backend ends.
  const of = (pid: number): number => {
    try {
      const fields = fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
      return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    } catch {
      return 0;
    }
  };
  const backends = [postgres, ...childrenOf(postgres)];
  return { server: of(server), postgres: backends.reduce((sum, pid) => sum + of(pid), 0) };
}
