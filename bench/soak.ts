import * as fs from 'node:fs';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '../src/base/index.ts';
import { openSqlite } from '../src/db/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../src/gateway/queue-file.ts';
import { TestWorld, type WorldAgent } from '../test/support/test-world.ts';
import { memoryOf, withDescendants } from './support/process-costs.ts';

const DAY_MS = 86_400_000;
/** Longer than the retention of anything that has ended. */
const KEPT_MS = 31 * DAY_MS;
/** More ends than between two removals of old rows. */
const ENDS = 150;
const STEP_MS = 10_000;
const MAX_TRIES = 300;

/**
 * A long run of hosted agents that write to each other and receive prompts, while a day passes on their wall clock: what has
 * grown between the first minute and the last. Then a month passes, and older rows must be removed.
 * `npm run bench -- soak [--minutes 30] [--agents 20] [--hours 24]`
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const options = {
    minutes: { type: 'string' },
    agents: { type: 'string' },
    hours: { type: 'string' },
  } as const;
  const { values } = parseArgs({ args, options });
  const minutes = Number(values.minutes ?? 30);
  const count = Number(values.agents ?? 20);
  const hours = Number(values.hours ?? 24);
  const world = new TestWorld();
  world.mode = 'hosted';
  world.clockShiftFile = path.join(world.directory, 'shift');
  setClock(world, 0);
  try {
    const agents = await world.agents(count, ['--turn', '20ms', '--act-on-mail', '--reply', '']);
    for (const { client } of agents)
      await client.call('notifier.enable', { body: { interval_seconds: 60, repeat: 'backoff' } });
    const steps = Math.max(4, Math.round((minutes * 60_000) / STEP_MS));
    const warm = Math.max(1, Math.round(steps / 10));
    let before: Sizes | undefined;
    let late = 0;
    /** Memory rises between two collections, so the low points show what is retained. */
    const lowest: number[] = [];
    for (let step = 0; step < steps; step++) {
      const begun = performance.now();
      setClock(world, (step / steps) * hours * 3_600_000);
      late += await work(agents, step);
      await sleep(systemClock, Math.max(0, STEP_MS - (performance.now() - begun)));
      if (step === warm) before = sizes(world, agents);
      const tenth = Math.floor((10 * step) / steps);
      lowest[tenth] = Math.min(lowest[tenth] ?? Number.POSITIVE_INFINITY, kept(agents[0]!.pid));
    }
    printGrowth(print, before!, sizes(world, agents), { steps: steps - warm - 1, count, minutes, hours });
    print(
      `private memory of the host, at the lowest of each tenth: ${lowest.map((each) => each.toFixed(0)).join(' ')} MB`,
    );
    print(`${late} of ${steps * count} turns of work had no answer in time`);
    await printRetention(print, world, agents[0]!);
  } finally {
    await world.close();
  }
}

/** Each agent receives a prompt, and writes to the next, which is woken. Returns how many had no answer in time. */
async function work(agents: WorldAgent[], step: number): Promise<number> {
  const done = agents.map(async ({ client, name }, at) => {
    const prompt = `step ${step} of ${name}`;
    await client.call('requests.create', {
      body: { schema_version: 1, kind: 'submit_prompt', payload: { prompt } },
    });
    const { address } = await agents[(at + 1) % agents.length]!.client.call('mail.status', {});
    await client.call('mail.send', { body: { to: [address], subject: prompt, body_content: 'soak' } });
  });
  return (await Promise.allSettled(done)).filter(({ status }) => status === 'rejected').length;
}

/** Sets how far the wall clock of the gateways is ahead. */
function setClock(world: TestWorld, byMs: number): void {
  fs.writeFileSync(world.clockShiftFile!, String(Math.round(byMs)));
}

interface Sizes {
  'memory of all processes (MB)': number;
  'heap and other private memory of the host (MB)': number;
  'open descriptors of the host': number;
  'inotify watches of the host': number;
  processes: number;
  'files of all sessions': number;
  'queue databases with their logs (MB)': number;
  'event files and logs (MB)': number;
  'mail: files': number;
}

function sizes(world: TestWorld, agents: WorldAgent[]): Sizes {
  const host = agents[0]!.pid;
  const pids = withDescendants([host]);
  const own = agents.flatMap(({ root }) => filesIn(root));
  const megabytes = (files: string[]): number => files.reduce((all, file) => all + sizeOf(file), 0) / 1e6;
  const fds = `/proc/${host}/fdinfo`;
  const watches = fs.readdirSync(fds).map((fd) => read(path.join(fds, fd)).match(/^inotify /gm)?.length ?? 0);
  return {
    'memory of all processes (MB)': memoryOf(pids),
    'heap and other private memory of the host (MB)': kept(host),
    'open descriptors of the host': fs.readdirSync(`/proc/${host}/fd`).length,
    'inotify watches of the host': watches.reduce((all, each) => all + each, 0),
    processes: pids.length,
    'files of all sessions': own.length,
    'queue databases with their logs (MB)': megabytes(own.filter((file) => file.includes('queue.sqlite'))),
    'event files and logs (MB)': megabytes(own.filter((file) => /\.(jsonl|log)(\.\d+)?$/.test(file))),
    'mail: files': filesIn(world.context.settings.mailboxDir).length,
  };
}

function printGrowth(
  print: (line: string) => void,
  before: Sizes,
  after: Sizes,
  { steps, count, minutes, hours }: { steps: number; count: number; minutes: number; hours: number },
): void {
  print(
    `${count} agents, ${minutes} min, ${hours} h on their clocks; after the first tenth ${steps * count} prompts`,
  );
  print(`and as many messages with their wakes${' '.repeat(14)} before     after   for each of these`);
  for (const [name, was] of Object.entries(before)) {
    const is = (after as unknown as Record<string, number>)[name]!;
    const each = (is - was) / (steps * count);
    print(
      `${name.padEnd(48)} ${was.toFixed(1).padStart(9)} ${is.toFixed(1).padStart(9)} ${each.toFixed(4).padStart(12)}`,
    );
  }
}

/** Interrupts of an idle agent end together, so that a month later old rows are removed at once. */
async function printRetention(
  print: (line: string) => void,
  world: TestWorld,
  { client, root }: WorldAgent,
): Promise<void> {
  const file = path.join(root, 'queue.sqlite');
  const old = rowsOf(file);
  setClock(world, KEPT_MS + DAY_MS);
  const asked = Array.from({ length: ENDS }, () =>
    client.call('requests.create', { body: { schema_version: 1, kind: 'interrupt', payload: {} } }),
  );
  const { length: late } = (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected');
  const open = async (): Promise<boolean> => (await client.status()).queue_depth > 0;
  for (let tries = 0; tries < MAX_TRIES && (await open()); tries++) await sleep(systemClock, 200);
  const left = rowsOf(file);
  print(
    `a month later: of ${old} ended requests of one agent ${left} are kept (${left < old ? 'removed' : 'GROWS'});`,
  );
  print(`${late} of ${ENDS} simultaneous requests had no answer in time`);
}

/** Requests of all kinds but interrupts, which the soak itself adds at its end. */
function rowsOf(file: string): number {
  const db = openSqlite({ file, migrations: QUEUE_FILE_MIGRATIONS, readOnly: true });
  try {
    return db.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM gateway_requests WHERE request_kind <> 'interrupt'",
    )!.count;
  } finally {
    db.close();
  }
}

/** Heap and other private memory of a process, in MB. */
function kept(pid: number): number {
  return Number(/^Private_Dirty:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1024;
}

function filesIn(directory: string): string[] {
  return fs
    .readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

function sizeOf(file: string): number {
  return fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function read(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
