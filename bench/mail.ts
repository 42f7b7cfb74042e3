import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { run as runFlatFile } from './mail-flatfile.ts';
import type { Apart } from './support/mail-apart.ts';
import { Bench } from './support/mail-bench.ts';
import { READER, send, startJob, WRITER } from './support/mail-jobs.ts';
import { median, middle } from './support/median.ts';

/**
 * Durable mail compared with its parts and with what it replaces, in one run on one disk: the fsync rate of the disk, SQLite
 * with one insert per transaction, and the flock+grep shell recipe (which does not fsync), as a script per message and
 * inlined in a loop of one shell. Ours returns after fsync. Short slices alternate, so other load affects all; for separate
 * processes the median of three runs counts.
 */

const ROUNDS = 3;
const SLICES = 12;
const PER_SLICE = 100;

type Print = (line: string) => void;

const rate = (value: number): string => `${value.toFixed(0).padStart(6)}/s`;
const cpu = ({ cpuMs }: Apart): string => `${cpuMs.toFixed(2)} ms of processor each`;
const middleOf = (found: Apart[]): Apart => ({
  rate: middle(found.map((each) => each.rate)),
  cpuMs: middle(found.map((each) => each.cpuMs)),
});
const times = (value: number): string => `${value.toFixed(2)}x`;

async function throughput(bench: Bench, print: Print, names: string[]): Promise<void> {
  const wanted = names.map(Number).filter((number) => number > 0);
  print('durable sends per second, about 1 kB each; each returns after fsync');
  for (const producers of wanted.length > 0 ? wanted : [1, 8, 32]) {
    const { end, ...inProcess } = await bench.inProcess(producers);
    const lanes = { raw: bench.raw(), sqlite: bench.sqlite(), ...inProcess };
    for (let slice = 0; slice < SLICES; slice++) {
      for (const lane of Object.values(lanes)) await lane.slice(PER_SLICE);
    }
    await end();
    const apart = {
      append: [] as Apart[],
      insert: [] as Apart[],
      processes: [] as Apart[],
      gateway: [] as Apart[],
      recipe: [] as number[],
      inlined: [] as number[],
    };
    for (let round = 0; round < ROUNDS; round++) {
      apart.append.push(await bench.floor('append', producers));
      apart.insert.push(await bench.floor('insert', producers));
      apart.processes.push(await bench.processes(producers));
      apart.gateway.push(await bench.gateway(producers));
      apart.recipe.push(await bench.recipe(producers));
      apart.inlined.push(await bench.inlined(producers));
    }
    const [raw, sqlite, answered, published] = [lanes.raw, lanes.sqlite, lanes.answered, lanes.published].map(
      (lane) => lane.rate,
    ) as [number, number, number, number];
    const [recipe, inlined] = [middle(apart.recipe), middle(apart.inlined)];
    const beside = (value: number): string =>
      `${rate(value)}   ${times(value / raw)} raw fsync   ${times(value / sqlite)} sqlite   ${(value / recipe).toFixed(1)}x recipe   ${times(value / inlined)} inlined`;
    print(`  ${producers} producer${producers === 1 ? '' : 's'}`);
    print(`    raw: append 4 kB + fsync, one writer   ${rate(raw)}`);
    print(`    sqlite: one insert per transaction     ${rate(sqlite)}`);
    print(
      `    recipe: a script per message, ${String(producers).padStart(2)} shells ${rate(recipe)}   (no fsync)`,
    );
    print(`    recipe inlined in a loop of one shell  ${rate(inlined)}   (no fsync)`);
    print(`    ours, in one process                   ${beside(answered)}`);
    const verdict = (reached: boolean): string => (reached ? 'reached' : 'missed');
    if (producers === 1) print(`      goal 0.5x raw fsync: ${verdict(answered >= raw / 2)}`);
    else
      print(
        `      goals: beyond raw fsync: ${verdict(answered > raw)}; 20x recipe: ${verdict(answered >= 20 * recipe)}`,
      );
    print(`      … until files and links are there    ${rate(published)}`);
    const many = `${String(producers).padStart(2)} processes`;
    const [append, insert] = [middleOf(apart.append), middleOf(apart.insert)];
    print(`    raw,  ${many}, 4 kB + fsync each    ${rate(append.rate)}   ${cpu(append)}`);
    print(`    floor, ${many}: flock, insert, fsync ${rate(insert.rate)}   ${cpu(insert)}`);
    for (const [name, found] of [
      ['ours, ', middleOf(apart.processes)],
      ['ours, by a gateway', middleOf(apart.gateway)],
    ] as const)
      print(
        `    ${name.padEnd(19)}${many}       ${beside(found.rate)}   ${times(found.rate / insert.rate)} floor   ${cpu(found)}`,
      );
  }
}

async function sizes(bench: Bench, print: Print): Promise<void> {
  print('milliseconds by size of the box (median)');
  const store = bench.store();
  const reader = store.mailbox(READER);
  const writer = store.mailbox(WRITER);
  let first: number | undefined;
  let before = 0;
  for (const size of [1_000, 10_000, 100_000]) {
    await bench.filled(store, before, size);
    before = size;
    const page = await median(101, () => reader.list({ limit: 50 }));
    const unread = await median(101, () => reader.list({ limit: 50, read_state: 'unread' }));
    const count = await median(21, () => reader.count());
    const version = await median(101, () => reader.version());
    const sent = await median(51, (n) => send(writer, n));
    first ??= page;
    print(
      `  ${String(size).padStart(6)} messages: page of 50 ${page.toFixed(2)} (${times(page / first)} of 1k), ` +
        `unread page ${unread.toFixed(2)}, count ${count.toFixed(2)}, version ${version.toFixed(3)}, send ${sent.toFixed(2)}`,
    );
  }
  const start = performance.now();
  await reader.search({ text: 'message' });
  const built = performance.now() - start;
  const found = await median(21, () => reader.search({ text: '"message 54321"' }));
  print(`  search: first (indexes 100k) ${(built / 1000).toFixed(1)} s, then ${found.toFixed(2)} ms`);
  await store.close();
}

async function watching(bench: Bench, print: Print): Promise<void> {
  const store = bench.store();
  const writer = store.mailbox(WRITER);
  const file = path.join(bench.place(), 'bare');
  fs.writeFileSync(file, '');
  const children = [
    startJob({ kind: 'watch', root: store.layout.root }),
    startJob({ kind: 'bare', file }),
  ] as const;
  await Promise.all(children.map((child) => once(child.stdout!, 'data')));
  const ours: number[] = [];
  const bare: number[] = [];
  const since = (at: bigint, line: Buffer): number =>
    Math.max(0, Number(BigInt(line.toString().split('\n')[0]!) - at) / 1e6);
  for (let n = 0; n < 300; n++) {
    const event = once(children[0].stdout!, 'data') as Promise<[Buffer]>;
    await send(writer, n);
    const answered = process.hrtime.bigint();
    ours.push(since(answered, (await event)[0]));
    const bareEvent = once(children[1].stdout!, 'data') as Promise<[Buffer]>;
    const touched = process.hrtime.bigint();
    fs.utimesSync(file, new Date(), new Date());
    bare.push(since(touched, (await bareEvent)[0]));
  }
  for (const child of children) child.stdin!.end();
  await store.close();
  const at = (values: number[], share: number): number =>
    [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
  print('watch: milliseconds from the return to the event in another process (300 sends)');
  for (const share of [0.5, 0.99]) {
    const [a, b] = [at(ours, share), at(bare, share)];
    print(
      `  p${share * 100}: ours ${a.toFixed(2)}, bare fs.watch ${b.toFixed(2)} (${times(a / Math.max(b, 0.001))})`,
    );
  }
}

/** Memory of a process that reads all of a small mailbox, and of one that reads a gigabyte. */
async function large(bench: Bench, print: Print): Promise<void> {
  const store = bench.store();
  const body = `${'x'.repeat(79)}\n`.repeat(1280);
  const measure = async (from: number, to: number): Promise<{ bytes: number; memory: number }> => {
    await bench.filled(store, from, to, body);
    const [printed] = (await once(startJob({ kind: 'read', root: store.layout.root }).stdout!, 'data')) as [
      Buffer,
    ];
    return { bytes: (to * body.length) / 1e6, memory: Number(printed) / 1e6 };
  };
  const small = await measure(0, 100);
  const big = await measure(100, 10_500);
  await store.close();
  print('peak memory of a process that reads every page of a mailbox, and 50 bodies at once');
  for (const { bytes, memory } of [small, big]) {
    print(
      `  ${bytes.toFixed(0).padStart(5)} MB of mail: ${memory.toFixed(0)} MB (${times(memory / small.memory)})`,
    );
  }
}

/** `npm run bench -- mail [store [PRODUCERS …]|sizes|watch|large|flatfile …]`; without a name, all of them. */
export async function run(print: Print, names: string[] = []): Promise<void> {
  const directory = fs.mkdtempSync(
    path.join(process.env['ROUSE_BENCH_DIR'] ?? os.tmpdir(), 'rouse-bench-mail-'),
  );
  const bench = new Bench(directory);
  const parts = { store: throughput, sizes, watch: watching, large };
  try {
    for (const [name, part] of Object.entries(parts)) {
      if (names.length === 0 || names.includes(name)) await part(bench, print, names);
    }
    if (names.length === 0 || names.includes('flatfile')) await runFlatFile(print);
  } finally {
    // Last, because a file system that has just removed thousands of files is slow to create new ones.
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
