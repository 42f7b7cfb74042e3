import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { Ending, Loop, systemClock } from '../src/base/index.ts';
import { GatewayClient } from '../src/client/index.ts';
import { openSqlite, type Sqlite } from '../src/db/index.ts';
import { dispatchPass, ExecutionSlot, LanePause } from '../src/gateway/dispatch/index.ts';
import { SessionPause } from '../src/gateway/pause/index.ts';
import { insertRequest } from '../src/gateway/queue/accept.ts';
import { InstanceStore, PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from '../src/gateway/queue/index.ts';
import { testGateway } from '../src/gateway/testing.ts';
import { FakeSurface } from '../src/terminal/index.ts';
import { queuePeers } from './support/queue-peers.ts';
import { type Contender, inTurn, line, type Measured, summary, warmUp } from './support/rounds.ts';

const PROMPT = 'Review the last change and say what is wrong with it. '.repeat(4);
const PAYLOAD = { prompt: PROMPT };

/**
 * Durable accepts of the gateway's queue, compared with other queues and the raw disk, in one run.
 * `npm run bench -- queue [scale] [--no-peers] [finished]`; scale 1 is a quick look, 10 the full size (a million finished
 * rows); `finished` measures only the latter.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const scale = Number(args.find((each) => /^\d+(\.\d+)?$/.test(each)) ?? 1);
  const ending = new Ending();
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-bench-queue-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  try {
    const peers =
      args.includes('--no-peers') || args.includes('finished')
        ? []
        : await queuePeers(directory, PAYLOAD, { print, ending });
    if (!args.includes('finished')) await accepts({ print, directory, ending, scale }, peers);
    if (args.includes('finished')) return await manyFinished({ print, directory, ending, scale });
    await acceptsOverHttp({ print, directory, ending, scale });
    await idleWake({ print, directory, ending, scale });
    await manyFinished({ print, directory, ending, scale });
  } finally {
    await ending.run();
  }
}

interface Bench {
  print: (line: string) => void;
  directory: string;
  ending: Ending;
  scale: number;
}

function openQueue({ directory, ending }: Bench, name: string): { db: Sqlite; queue: RequestQueue } {
  const db = openSqlite({ file: path.join(directory, `${name}.sqlite`), migrations: QUEUE_MIGRATIONS });
  ending.add(() => db.close());
  return { db, queue: new RequestQueue(db, systemClock) };
}

const input = {
  kind: 'submit_prompt',
  payload: PAYLOAD,
  source: 'http',
  priority: PRIORITY.normal,
  epoch: 1,
} as const;

async function accepts(bench: Bench, peers: Contender[]): Promise<void> {
  const { print, directory, scale } = bench;
  const grouped = openQueue(bench, 'grouped');
  const single = openQueue(bench, 'single');
  const fd = fs.openSync(path.join(directory, 'raw'), 'w');
  const page = Buffer.alloc(4096, 1);
  const ours: Contender = { name: 'rouse', op: () => grouped.queue.accept(input) };
  const alone: Contender = {
    name: 'rouse, one transaction per request',
    op: () => single.db.transaction((db) => insertRequest(db, input, new Date())),
  };
  const raw: Contender = {
    name: 'raw: write 4 KiB + fdatasync',
    op() {
      fs.writeSync(fd, page);
      fs.fdatasyncSync(fd);
    },
  };
  const contenders = [ours, alone, ...peers, raw];
  await warmUp(contenders, 500);
  for (const clients of [1, 8, 64]) {
    const found = await inTurn(contenders, { clients, rounds: 3, sliceMs: 200 * scale });
    print(`\ndurable accepts, ${clients} ${clients === 1 ? 'client' : 'clients'} in this process`);
    for (const { name } of contenders)
      print(line(name, found.get(name)!, name === ours.name ? undefined : found.get(ours.name)));
    const ahead = peers.filter((peer) => found.get(ours.name)!.perSecond > found.get(peer.name)!.perSecond);
    if (peers.length > 0)
      print(
        `  ahead of ${ahead.length} of ${peers.length} others (${verdict(ahead.length === peers.length)})`,
      );
    if (clients === 64) groupGoal(print, found.get(ours.name)!, found.get(alone.name)!);
  }
  fs.closeSync(fd);
}

function groupGoal(print: Bench['print'], grouped: Measured, alone: Measured): void {
  const ratio = grouped.perSecond / alone.perSecond;
  print(
    `  group commit with 64 clients: ${ratio.toFixed(1)}x one transaction per request (goal 5x: ${verdict(ratio >= 5)})`,
  );
}

const verdict = (reached: boolean): string => (reached ? 'reached' : 'missed');

async function acceptsOverHttp({ print, ending, scale }: Bench): Promise<void> {
  const on = await testGateway(ending, {
    prepare: (surface) => surface.show({ ready: false, reasons: ['busy'] }),
  });
  const client = new GatewayClient({ host: '127.0.0.1', port: on.gateway.port, timeoutMs: 60_000 });
  const http: Contender = {
    name: 'POST /v1/requests, a connection each',
    op: () => client.submitPrompt(PAYLOAD),
  };
  print('\ndurable accepts over HTTP (client and gateway in one process)');
  for (const clients of [1, 8, 64]) {
    const found = await inTurn([http], { clients, rounds: 1, sliceMs: 400 * scale });
    print(line(`${clients} ${clients === 1 ? 'client' : 'clients'}`, found.get(http.name)!));
  }
}

/** A surface that only records when it was asked to type. */
class Handler extends FakeSurface {
  asked: () => void = () => {};
  override deliver = async () => {
    this.asked();
    return { outcome: 'submitted' as const, reasons: [], evidence: [], untouched: false };
  };
}

/** The time from the call of accept to the call of the handler: two commits and a wake of the sleeping loop. */
async function idleWake(bench: Bench): Promise<void> {
  const { db, queue } = openQueue(bench, 'wake');
  const surface = new Handler();
  const slot = new ExecutionSlot();
  const pause = new LanePause(systemClock);
  const loop = new Loop({
    name: 'dispatch',
    clock: systemClock,
    pass: () =>
      dispatchPass({
        queue,
        surface,
        slot,
        pause,
        hold: new SessionPause('/nowhere/pause.json', systemClock),
        instances: new InstanceStore(db),
        clock: systemClock,
        admission: () => 'open',
        epoch: () => 1,
      }),
  });
  queue.entries.on(() => loop.wake());
  loop.start();
  bench.ending.add(() => loop.stop());
  const times: number[] = [];
  const samples = Math.max(50, Math.round(100 * bench.scale));
  for (let i = 0; i < samples; i++) {
    const begun = performance.now();
    const asked = new Promise<number>((resolve) => {
      surface.asked = () => resolve(performance.now() - begun);
    });
    const ended = queue.entries.next((entry) => entry.stage === 'finished');
    await queue.accept(input);
    times.push(await asked);
    await ended;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const { p50, p99 } = summary(times, 1000);
  bench.print(
    `\nidle wake, accept → handler, ${samples} samples: p50 ${p50.toFixed(2)} ms   p99 ${p99.toFixed(2)} ms (goal p99 < 10 ms: ${verdict(p99 < 10)})`,
  );
}

async function manyFinished(bench: Bench): Promise<void> {
  const rows = Math.round(100_000 * bench.scale);
  const empty = openQueue(bench, 'empty');
  const crowded = openQueue(bench, 'crowded');
  fill(crowded.db, rows);
  // Measures a queue that has grown, not the disk while it grows.
  crowded.db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  execFileSync('sync');
  const cycle =
    ({ queue }: { queue: RequestQueue }) =>
    async (): Promise<void> => {
      const { row } = await queue.accept(input);
      await queue.claim(row.request_id);
      await queue.finish(row.request_id, { outcome: 'submitted' });
      queue.queued(1);
      queue.depth();
    };
  const contenders = [
    { name: 'empty', op: cycle(empty) },
    { name: `${rows} finished rows`, op: cycle(crowded) },
  ];
  await warmUp(contenders, 300);
  const found = await inTurn(contenders, { clients: 8, rounds: 5, sliceMs: 150 * bench.scale });
  bench.print('\naccept, claim, finish, read the queue and its depth; 8 clients');
  for (const { name } of contenders) bench.print(line(name, found.get(name)!));
  const ratio = found.get(contenders[1]!.name)!.perSecond / found.get('empty')!.perSecond;
  bench.print(
    `  with ${rows} finished rows: ${ratio.toFixed(2)} of the empty queue (goal 0.8 to 1.2: ${verdict(ratio >= 0.8)})`,
  );
}

/** Ids grow with time, as real ones do, so rows of the same time are neighbours in every index. */
function fill(db: Sqlite, rows: number): void {
  db.transaction(() => {
    db.run(
      `INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, started_at_utc,
         finished_at_utc, managed_agent_instance_epoch, source, priority, outcome, content_digest)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT printf('gwreq-20260102-030405Z-%08x', i), 'submit_prompt', ?, 'completed', ?3, ?3, ?3, 1, 'http', 50, 'submitted', 'x' FROM n`,
      [rows, JSON.stringify(PAYLOAD), new Date().toISOString()],
    );
    db.run(
      `INSERT INTO gateway_request_ledger (request_id, stage, source, at_utc, facts_json)
       SELECT request_id, 'finished', 'dispatch', finished_at_utc, '{}' FROM gateway_requests`,
    );
  });
}
