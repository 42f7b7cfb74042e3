import { Ending } from '../src/base/index.ts';
import { openPostgres } from '../src/db/index.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { type Drained, graphileWorker, pgBoss, rouse } from './support/drain-peers.ts';
import { peerModules } from './support/queue-peers.ts';

interface Rates {
  put: number;
  drain: number;
  both: number;
}

const ROUNDS = 3;
const SHAPES = [
  { clients: 8, workers: 8, batch: 1 },
  { clients: 8, workers: 8, batch: 10 },
];

/**
 * The fleet's delivery queue and other queues on one PostgreSQL server with fsync: many workers store messages with a key,
 * then lease and settle them. The queues alternate over several rounds.
 * `npm run bench -- deliveries [scale] [--no-peers]`; scale 1 is a quick look.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const scale = Number(args.find((each) => /^\d+(\.\d+)?$/.test(each)) ?? 1);
  const ending = new Ending();
  try {
    const server = await startPostgres({ fsync: true });
    ending.add(() => server.stop());
    const load = args.includes('--no-peers') ? undefined : peerModules(print);
    const opening: ((url: string) => Promise<Drained>)[] = [rouse];
    if (load)
      opening.push(
        (url) => graphileWorker(load, url),
        (url) => pgBoss(load, url),
      );
    const queues: Drained[] = [];
    for (const open of opening) {
      const url = await server.createDatabase();
      const queue = await open(url);
      queues.push(queue);
      ending.add(() => queue.close());
      await measure(queue, { ...SHAPES[0]!, messages: 500 });
      await tidy(url);
    }
    for (const shape of SHAPES)
      await compare(print, queues, { ...shape, messages: Math.round(1000 * scale) });
  } finally {
    await ending.run();
  }
}

/** Does what autovacuum would do in time, so the planner knows the tables. */
async function tidy(url: string): Promise<void> {
  const sql = await openPostgres({ url });
  await sql.exec('VACUUM ANALYZE');
  await sql.close();
}

interface Shape {
  clients: number;
  workers: number;
  batch: number;
  messages: number;
}

async function compare(print: (line: string) => void, queues: Drained[], shape: Shape): Promise<void> {
  const found = new Map<string, Rates[]>(queues.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const queue of queues) found.get(queue.name)!.push(await measure(queue, shape));
  }
  const { clients, workers, batch, messages } = shape;
  print(
    `\n${messages} messages, ${clients} senders, then ${workers} workers that take up to ${batch} at a time`,
  );
  const ours = median(found.get('rouse')!);
  for (const { name } of queues) {
    const rates = median(found.get(name)!);
    const ratio = name === 'rouse' ? '' : `   ours is ${(ours.both / rates.both).toFixed(2)}x`;
    print(
      `  ${name.padEnd(18)} stored ${rate(rates.put)}   drained ${rate(rates.drain)}   both ${rate(rates.both)}${ratio}`,
    );
  }
  const peers = queues.filter(({ name }) => name !== 'rouse');
  const ahead = peers.filter(({ name }) => ours.both > median(found.get(name)!).both);
  if (peers.length > 0)
    print(
      `  ahead of ${ahead.length} of ${peers.length} (${ahead.length === peers.length ? 'reached' : 'missed'})`,
    );
}

let counter = 0;

async function measure(queue: Drained, { clients, workers, batch, messages }: Shape): Promise<Rates> {
  const begun = performance.now();
  let left = messages;
  const send = async (): Promise<void> => {
    while (left-- > 0) await queue.put(counter++);
  };
  await Promise.all(Array.from({ length: clients }, send));
  const stored = performance.now();
  await queue.drain({ workers, batch, messages });
  const ended = performance.now();
  const perSecond = (ms: number): number => messages / (ms / 1000);
  return { put: perSecond(stored - begun), drain: perSecond(ended - stored), both: perSecond(ended - begun) };
}

function median(all: Rates[]): Rates {
  const of = (field: keyof Rates): number =>
    all.map((rates) => rates[field]).sort((a, b) => a - b)[Math.floor(all.length / 2)]!;
  return { put: of('put'), drain: of('drain'), both: of('both') };
}

const rate = (perSecond: number): string => `${perSecond.toFixed(0).padStart(6)}/s`;
