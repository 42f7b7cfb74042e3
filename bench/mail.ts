import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { openSqlite } from '../src/db/index.ts';
import { composeMail } from '../src/domain/index.ts';
import { deliver } from '../src/mailbox/filesystem/deliver.ts';
import { initMailStore, type Mailbox, type MailStore, openMailStore } from '../src/mailbox/index.ts';
import { run as runFlatFile } from './mail-flatfile.ts';

/**
 * Durable mail beside what it is made of and what it replaces, in one run on one disk: the fsync rate of the disk, SQLite
 * with one insert per transaction, and the flock+grep shell recipe (which does not fsync). Ours answers after fsync.
 * Rounds alternate, and the median of three counts, so that a busy neighbour hits all alike.
 */

const BODY = 'A body of about a kilobyte, as agents write them to each other. '.repeat(16);
const READER = 'reader@houmao.localhost';
const WRITER = 'writer@houmao.localhost';
const ROUNDS = 3;

type Print = (line: string) => void;

const job = process.env['ROUSE_BENCH_MAIL_JOB'];
if (job !== undefined) await runJob(JSON.parse(job) as Job);

type Job =
  | { kind: 'write'; root: string; count: number }
  | { kind: 'watch'; root: string }
  | { kind: 'bare'; file: string };

/** What runs in a process of its own. */
async function runJob(order: Job): Promise<void> {
  if (order.kind === 'bare') {
    fs.watch(order.file, () => process.stdout.write(`${process.hrtime.bigint()}\n`));
    process.stdout.write('ready\n');
    await once(process.stdin.resume(), 'end');
    process.exit(0);
  }
  const store = openMailStore({ root: order.root });
  if (order.kind === 'watch') {
    await store.mailbox(READER).watch(() => process.stdout.write(`${process.hrtime.bigint()}\n`));
    process.stdout.write('ready\n');
    await once(process.stdin.resume(), 'end');
  } else {
    const mailbox = store.mailbox(WRITER);
    process.stdout.write('ready\n');
    await once(process.stdin, 'data');
    for (let n = 0; n < order.count; n++) await send(mailbox, n);
    process.stdout.write('done\n');
    await store.close();
  }
  process.exit(0);
}

function startJob(order: Job): ChildProcess {
  return spawn(process.execPath, [process.argv[1]!], {
    env: { ...process.env, ROUSE_BENCH_MAIL_JOB: JSON.stringify(order) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}

async function send(mailbox: Mailbox, n: number): Promise<void> {
  await mailbox.send({ to: [READER], subject: `message ${n}`, body_content: BODY });
}

const RECIPE = `
mailbox=$1; name=$2; count=$3
echo ready; read -r go
for ((n = 0; n < count; n++)); do
  (
    flock -x -w 30 9 || exit 1
    head -n 200 "$mailbox" | grep -q -F "msg-id: $name-$n" && exit 0
    { printf -- '---\\nfrom: %s\\nto: reader\\nre: message %s\\nmsg-id: %s-%s\\n---\\n\\n%s\\n\\n' "$name" "$n" "$name" "$n" "$BODY"; cat "$mailbox"; } > "$mailbox.tmp.$$" \\
      && mv "$mailbox.tmp.$$" "$mailbox"
  ) 9> "$mailbox.lock"
done
echo done
`;

/** From the go to the last answer; what a process does after it is not counted. */
async function race(children: ChildProcess[]): Promise<number> {
  await Promise.all(children.map((child) => once(child.stdout!, 'data')));
  const start = performance.now();
  const answers = children.map((child) => once(child.stdout!, 'data'));
  for (const child of children) child.stdin!.write('go\n');
  await Promise.all(answers);
  const seconds = (performance.now() - start) / 1000;
  const codes = await Promise.all(
    children.map(async (child) => child.exitCode ?? ((await once(child, 'close'))[0] as number)),
  );
  if (codes.some((code) => code !== 0)) throw new Error(`a writer failed: ${codes.join(' ')}`);
  return seconds;
}

class Bench {
  #directory: string;
  #next = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  place(): string {
    const place = path.join(this.#directory, String(this.#next++));
    fs.mkdirSync(place);
    return place;
  }

  store(): MailStore {
    const store = initMailStore({ root: this.place() });
    for (const address of [READER, WRITER]) store.register({ address, owner_principal_id: address });
    return store;
  }

  raw(count = 600): number {
    const fd = fs.openSync(path.join(this.place(), 'raw'), 'w');
    const block = Buffer.alloc(4096, 'x');
    const start = performance.now();
    for (let n = 0; n < count; n++) {
      fs.writeSync(fd, block);
      fs.fsyncSync(fd);
    }
    fs.closeSync(fd);
    return count / ((performance.now() - start) / 1000);
  }

  sqlite(count = 600): number {
    const sql = 'CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT, body TEXT)';
    const db = openSqlite({ file: path.join(this.place(), 'plain.sqlite'), migrations: [{ id: '1', sql }] });
    const start = performance.now();
    for (let n = 0; n < count; n++) {
      db.run('INSERT INTO mail (sender, subject, body) VALUES (?, ?, ?)', ['w', `message ${n}`, BODY]);
    }
    const rate = count / ((performance.now() - start) / 1000);
    db.close();
    return rate;
  }

  async recipe(producers: number): Promise<number> {
    const mailbox = path.join(this.place(), 'inbox.md');
    fs.writeFileSync(mailbox, '');
    const each = Math.ceil(96 / producers);
    const children = Array.from({ length: producers }, (_, n) =>
      spawn('bash', ['-c', RECIPE, 'recipe', mailbox, `w${n}`, String(each)], {
        env: { ...process.env, BODY },
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    return (producers * each) / (await race(children));
  }

  /** Answers per second, and the rate when the files and links of all of them are there too. */
  async inProcess(producers: number, count = 1600): Promise<{ answered: number; published: number }> {
    const store = this.store();
    const mailbox = store.mailbox(WRITER);
    for (let n = 0; n < 50; n++) await send(mailbox, n);
    await store.published();
    const start = performance.now();
    let left = count;
    await Promise.all(
      Array.from({ length: producers }, async () => {
        while (left-- > 0) await send(mailbox, left);
      }),
    );
    const answered = count / ((performance.now() - start) / 1000);
    await store.published();
    const published = count / ((performance.now() - start) / 1000);
    await store.close();
    return { answered, published };
  }

  async processes(producers: number): Promise<number> {
    const store = this.store();
    const { root } = store.layout;
    await store.close();
    const count = Math.ceil(1600 / producers);
    const children = Array.from({ length: producers }, () => startJob({ kind: 'write', root, count }));
    const rate = (producers * count) / (await race(children));
    const check = openMailStore({ root });
    const { message_count: kept } = await check.mailbox(READER).count();
    await check.close();
    if (kept !== producers * count) throw new Error(`we kept ${kept} of ${producers * count}`);
    return rate;
  }

  /** A box of this size, quickly: many deliveries per commit, no files. */
  async filled(store: MailStore, from: number, to: number, body = BODY): Promise<void> {
    const party = (address: string) => ({ principal_id: address, address });
    for (let n = from; n < to; ) {
      await store.commit((db) => {
        const active = store.book.open(db);
        for (let i = 0; i < 500 && n < to; i++, n++) {
          const parts = { from: party(WRITER), to: [party(READER)], cc: [], body, at: new Date() };
          const { seq } = deliver(db, active, composeMail({ ...parts, subject: `message ${n}` }));
          if (n % 10 > 0) db.run('UPDATE mail_state SET is_read = 1 WHERE seq = ?', [seq]);
        }
      });
    }
  }
}

async function median(times: number, work: (n: number) => Promise<unknown> | unknown): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work(n);
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)]!;
}

const middle = (values: number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const rate = (value: number): string => `${value.toFixed(0).padStart(6)}/s`;
const times = (value: number): string => `${value.toFixed(2)}x`;

async function throughput(bench: Bench, print: Print, names: string[]): Promise<void> {
  const wanted = names.map(Number).filter((number) => number > 0);
  print('durable sends per second, about 1 kB each; every answer after fsync (median of 3 rounds)');
  for (const producers of wanted.length > 0 ? wanted : [1, 8, 32]) {
    const rows: Record<string, number[]> = {};
    const note = (name: string, value: number): void => void (rows[name] ??= []).push(value);
    for (let round = 0; round < ROUNDS; round++) {
      note('raw', bench.raw());
      const { answered, published } = await bench.inProcess(producers);
      note('answered', answered);
      note('published', published);
      note('raw', bench.raw());
      note('sqlite', bench.sqlite());
      note('processes', await bench.processes(producers));
      note('recipe', await bench.recipe(producers));
    }
    const got = Object.fromEntries(Object.entries(rows).map(([name, values]) => [name, middle(values)]));
    const { raw = 0, sqlite = 0, answered = 0, published = 0, processes = 0, recipe = 0 } = got;
    const beside = (value: number): string =>
      `${rate(value)}   ${times(value / raw)} raw fsync   ${times(value / sqlite)} sqlite   ${times(value / recipe)} recipe`;
    print(`  ${producers} producer${producers === 1 ? '' : 's'}`);
    print(`    raw: append 4 kB + fsync, one writer   ${rate(raw)}`);
    print(`    sqlite: one insert per transaction     ${rate(sqlite)}`);
    print(
      `    recipe: flock + grep, ${String(producers).padStart(2)} processes     ${rate(recipe)}   (no fsync)`,
    );
    print(`    ours, in one process                   ${beside(answered)}`);
    print(`      … until files and links are there    ${rate(published)}`);
    print(`    ours, ${String(producers).padStart(2)} processes                    ${beside(processes)}`);
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
  const since = (at: bigint, heard: Buffer): number =>
    Math.max(0, Number(BigInt(heard.toString().split('\n')[0]!) - at) / 1e6);
  for (let n = 0; n < 300; n++) {
    const heard = once(children[0].stdout!, 'data') as Promise<[Buffer]>;
    await send(writer, n);
    const answered = process.hrtime.bigint();
    ours.push(since(answered, (await heard)[0]));
    const heardBare = once(children[1].stdout!, 'data') as Promise<[Buffer]>;
    const touched = process.hrtime.bigint();
    fs.utimesSync(file, new Date(), new Date());
    bare.push(since(touched, (await heardBare)[0]));
  }
  for (const child of children) child.stdin!.end();
  await store.close();
  const at = (values: number[], share: number): number =>
    [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)]!;
  print('watch: milliseconds from the answer to the event in another process (300 sends)');
  for (const share of [0.5, 0.99]) {
    const [a, b] = [at(ours, share), at(bare, share)];
    print(
      `  p${share * 100}: ours ${a.toFixed(2)}, bare fs.watch ${b.toFixed(2)} (${times(a / Math.max(b, 0.001))})`,
    );
  }
}

/** A gigabyte of mail, and how much memory reading it takes. */
async function large(bench: Bench, print: Print): Promise<void> {
  const store = bench.store();
  const body = `${'x'.repeat(79)}\n`.repeat(1280);
  await bench.filled(store, 0, 10_000, body);
  const bytes = fs.statSync(store.layout.index).size;
  await store.close();
  const again = openMailStore({ root: store.layout.root });
  const reader = again.mailbox(READER);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let most = 0;
  let cursor: string | null = null;
  do {
    const page = await reader.list({ limit: 100, cursor });
    cursor = page.next_cursor;
    most = Math.max(most, process.memoryUsage.rss() - before);
  } while (cursor !== null);
  const { messages } = await reader.list({ limit: 50, include_body: true });
  most = Math.max(most, process.memoryUsage.rss() - before);
  print(
    `a mailbox of ${(bytes / 1e9).toFixed(2)} GB, read page by page and ${messages.length} bodies at once: ` +
      `${(most / 1e6).toFixed(0)} MB of memory more`,
  );
  await again.close();
}

/** `npm run bench -- mail [store [PRODUCERS …]|sizes|watch|large|flatfile …]`; all of them without a name. */
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
    // Only now: a file system that has just removed thousands of files is slow to make new ones.
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
