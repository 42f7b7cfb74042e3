import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { parseArgs } from 'node:util';
import { sleep, systemClock } from '../src/base/index.ts';
import { codesOf, EXECUTION_MODES, type ExecutionMode } from '../src/domain/index.ts';
import { TestWorld, type WorldAgent } from '../test/support/test-world.ts';
import { type OlderGateway, olderGateway } from './support/older-gateway.ts';
import { memoryOf, processorOf, withDescendants } from './support/process-costs.ts';
import { relayCosts } from './support/relay-peer.ts';

const WOKEN = 10;
const ROUNDS = 3;
/** The number of gateways of an older commit over which the cost is averaged. */
const OLDER = 10;

interface Cost {
  mode: ExecutionMode;
  count: number;
  megabytes: number;
  cpu: number;
  writes: number;
}

/**
 * The cost of idle agents in each execution mode: memory of every process that Rouse adds (PSS, so shared pages count once),
 * processor time and writes at rest; and how soon 10 agents that are woken at once have their prompt. Compared with Agent
 * Relay, if npm has it, and with a single gateway of an older commit, if one is named.
 * `npm run bench -- host [counts] [seconds] [modes] [--beside commit]`, by default `1,10 10`; full: `1,10,50 30`.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const options = { beside: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const counts = (positionals[0] ?? '1,10').split(',').map(Number);
  const seconds = Number(positionals[1] ?? 10);
  const modes = positionals[2] ? (positionals[2].split(',') as ExecutionMode[]) : codesOf(EXECUTION_MODES);
  print(`load ${os.loadavg()[0]!.toFixed(1)} on ${os.cpus().length} processors`);
  print('mode                   agents  PSS each MB  cpu each %  writes  processes  wake p50/p99 ms');
  const costs: Cost[] = [];
  for (const count of counts)
    for (const mode of modes) costs.push(await measure(print, { mode, count, seconds }));
  for (const line of await relayCosts(counts, seconds)) print(line);
  const older = values.beside === undefined ? undefined : olderGateway(values.beside, OLDER, seconds);
  if (older)
    print(
      `a gateway of ${values.beside}: ${older.megabytes} MB resident, ${older.cpu.toFixed(2)} % of a core`,
    );
  judge(print, costs, older);
}

async function measure(
  print: (line: string) => void,
  { mode, count, seconds }: { mode: ExecutionMode; count: number; seconds: number },
): Promise<Cost> {
  const world = new TestWorld();
  world.mode = mode;
  try {
    const agents = await world.agents(count, ['--turn', '100ms']);
    // Until the safety poll has its longest interval and the garbage of the start is collected.
    await sleep(systemClock, 60_000);
    const pids = addedBy(agents);
    const before = newest(agents);
    const cpu = (await processorOf(pids, seconds)) / count;
    const writes = newest(agents).filter((at, i) => at !== before[i]).length;
    const megabytes = memoryOf(pids) / count;
    const waits = await wakeAll(agents.slice(0, WOKEN));
    print(
      [
        mode.padEnd(22),
        String(count).padStart(6),
        megabytes.toFixed(1).padStart(12),
        cpu.toFixed(3).padStart(11),
        String(writes).padStart(7),
        String(pids.length).padStart(10),
        `${quantile(waits, 0.5).toFixed(0)}/${quantile(waits, 0.99).toFixed(0)}`.padStart(16),
      ].join(' '),
    );
    return { mode, count, megabytes, cpu, writes };
  } finally {
    await world.close();
  }
}

/** The goals apply to the largest number of hosted agents, compared with single gateways of the same run. */
function judge(print: (line: string) => void, costs: Cost[], older: OlderGateway | undefined): void {
  const hosted = costs.filter(({ mode }) => mode === 'hosted').at(-1);
  const single = costs.filter(({ mode }) => mode === 'detached_process').at(-1);
  if (!hosted) return;
  const verdict = (reached: boolean): string => (reached ? 'reached' : 'missed');
  print(
    `${hosted.count} hosted: ${hosted.megabytes.toFixed(1)} MB each (goal 12: ${verdict(hosted.megabytes <= 12)})`,
  );
  print(`writes at rest: ${hosted.writes} (goal none: ${verdict(hosted.writes === 0)})`);
  const beside = (what: string, cpu: number | undefined): void => {
    if (cpu === undefined) return;
    const ratio = hosted.cpu / cpu;
    print(`cpu each beside a gateway ${what}: ${ratio.toFixed(3)}x (goal 0.1x: ${verdict(ratio <= 0.1)})`);
  };
  beside('of its own', single?.cpu);
  beside('of its own of the older commit', older?.cpu);
}

/** The process of each gateway or host, its keeper, and all their children. */
function addedBy(agents: WorldAgent[]): number[] {
  return withDescendants(
    agents.flatMap(({ root }) => {
      const gateway = Number(fs.readFileSync(path.join(root, 'run', 'gateway.pid'), 'utf8'));
      const keeper = path.join(root, 'run', 'keeper.json');
      if (!fs.existsSync(keeper)) return [gateway];
      return [gateway, (JSON.parse(fs.readFileSync(keeper, 'utf8')) as { pid: number }).pid];
    }),
  );
}

/** The time from the accepted request to the prompt in the agent's own transcript; each prompt and answer is unique. */
async function wakeAll(agents: WorldAgent[]): Promise<number[]> {
  const waits: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    waits.push(...(await Promise.all(agents.map((agent) => wake(agent, `wake up for the ${round}th time`)))));
    await sleep(systemClock, 4000);
  }
  return waits;
}

async function wake({ client, control }: WorldAgent, prompt: string): Promise<number> {
  const { mark } = control;
  const began = performance.now();
  const body = { schema_version: 1, kind: 'submit_prompt', payload: { prompt } } as const;
  await client.call('requests.create', { body });
  await control.event('submitted', undefined, mark);
  return performance.now() - began;
}

/** When something in the session's gateway directory was last written. */
function newest(agents: WorldAgent[]): number[] {
  return agents.map(({ root }) =>
    Math.max(
      ...fs
        .readdirSync(root, { recursive: true, withFileTypes: true })
        .map((entry) => fs.statSync(path.join(entry.parentPath, entry.name)).mtimeMs),
    ),
  );
}

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}
