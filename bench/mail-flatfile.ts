import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isRouseError } from '../src/base/index.ts';
import { FlatFile, type FlatMessage, writeFlatMessage } from '../src/mailbox/flatfile/index.ts';

/**
 * Flat-file mail beside the shell recipe it replaces (flock, grep in the first 200 lines, cat to a temporary file, mv),
 * in one run on one disk. Ours answers after fsync of file and directory; the recipe does not fsync at all.
 */

const BODY = 'A body of a few hundred bytes, as agents write them. '.repeat(6);

function message(writer: string, n: number): FlatMessage {
  return {
    fields: new Map([
      ['from', `${writer}@bench`],
      ['to', 'reader@bench'],
      ['re', `message ${n} of ${writer}`],
      ['created', '2026-01-01T00:00:00Z'],
      ['status', 'pending'],
      ['msg-id', `${writer}-${n}`],
    ]),
    body: BODY,
  };
}

interface WriterSpec {
  mailbox: string;
  name: string;
  count: number;
  /** Where it sends its first messages, not timed: writers are long-lived, and their code is compiled as it runs. */
  warmUp: string;
}

const WARM_UP = 100;

/** Long-lived writers try again when the lock stays taken. */
async function send(box: FlatFile, each: FlatMessage): Promise<void> {
  for (;;) {
    try {
      await box.prepend(each);
      return;
    } catch (error) {
      if (!isRouseError(error) || error.facts['lock_timeout'] !== true) throw error;
    }
  }
}

/** The part that runs in a process of its own: waits for a go, sends, one after the other. */
async function writer(spec: string): Promise<void> {
  const { mailbox, name, count, warmUp } = JSON.parse(spec) as WriterSpec;
  const first = new FlatFile(warmUp);
  for (let n = 0; n < WARM_UP; n++) await send(first, message(name, n));
  await first.idle();
  const box = new FlatFile(mailbox);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  for (let n = 0; n < count; n++) await send(box, message(name, n));
  await box.idle();
  process.exit(0);
}

const WRITER = 'ROUSE_BENCH_FLATFILE_WRITER';
const spec = process.env[WRITER];
if (spec !== undefined) await writer(spec);

const RECIPE = `
mailbox=$1; name=$2; count=$3
echo ready; read -r go
for ((n = 0; n < count; n++)); do
  message=$(printf -- '---\\nfrom: %s@bench\\nto: reader@bench\\nre: message %s of %s\\ncreated: 2026-01-01T00:00:00Z\\nstatus: pending\\nmsg-id: %s-%s\\n---\\n\\n%s\\n' "$name" "$n" "$name" "$name" "$n" "$BODY")
  (
    flock -x -w 30 9 || exit 1
    head -n 200 "$mailbox" | grep -q -F "msg-id: $name-$n" && exit 0
    { printf '%s\\n\\n' "$message"; cat "$mailbox"; } > "$mailbox.tmp.$$" && mv "$mailbox.tmp.$$" "$mailbox"
  ) 9> "$mailbox.lock"
done
`;

async function timed(children: ChildProcess[]): Promise<number> {
  const failed = children.map(async (child) => {
    const [code] = (await once(child, 'close')) as [number | null];
    throw new Error(`a writer ended before it was told to start (${code})`);
  });
  await Promise.race([Promise.all(children.map((child) => once(child.stdout!, 'data'))), ...failed]);
  for (const each of failed) each.catch(() => {});
  const start = performance.now();
  for (const child of children) child.stdin!.write('go\n');
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0] as number));
  if (codes.some((code) => code !== 0)) throw new Error(`a writer failed: ${codes.join(' ')}`);
  return (performance.now() - start) / 1000;
}

const pipes = ['pipe', 'pipe', 'inherit'] as const;

async function recipeRate(directory: string, producers: number, each: number): Promise<number> {
  const mailbox = path.join(fs.mkdtempSync(path.join(directory, 'recipe-')), 'inbox.md');
  fs.writeFileSync(mailbox, '');
  const children = Array.from({ length: producers }, (_, n) =>
    spawn('bash', ['-c', RECIPE, 'recipe', mailbox, `w${n}`, String(each)], {
      env: { ...process.env, BODY },
      stdio: [...pipes],
    }),
  );
  const seconds = await timed(children);
  const kept = fs.readFileSync(mailbox, 'utf8').split('\nmsg-id: ').length - 1;
  if (kept !== producers * each) throw new Error(`the recipe kept ${kept} of ${producers * each}`);
  return (producers * each) / seconds;
}

async function processRate(directory: string, producers: number, each: number): Promise<number> {
  const mailbox = agentMailbox(directory, `processes-${producers}`);
  const warmUp = agentMailbox(directory, `warm-up-${producers}`);
  const children = Array.from({ length: producers }, (_, n) => {
    const order = JSON.stringify({ mailbox, name: `w${n}`, count: each, warmUp });
    return spawn(process.execPath, [process.argv[1]!], {
      env: { ...process.env, [WRITER]: order },
      stdio: [...pipes],
    });
  });
  const seconds = await timed(children);
  const kept = new Set(new FlatFile(mailbox).list().entries.map(({ ref }) => ref)).size;
  if (kept !== producers * each) throw new Error(`we kept ${kept} of ${producers * each}`);
  return (producers * each) / seconds;
}

async function inProcessRate(directory: string, producers: number, each: number): Promise<number> {
  const box = new FlatFile(agentMailbox(directory, `in-process-${producers}`));
  const start = performance.now();
  await Promise.all(
    Array.from({ length: producers }, async (_, n) => {
      for (let i = 0; i < each; i++) await box.prepend(message(`w${n}`, i));
    }),
  );
  return (producers * each) / ((performance.now() - start) / 1000);
}

function agentMailbox(directory: string, name: string): string {
  const agent = path.join(fs.mkdtempSync(path.join(directory, `${name}-`)), '.agent');
  fs.mkdirSync(agent, { recursive: true });
  return path.join(agent, 'inbox.md');
}

function fsyncRate(directory: string): number {
  const fd = fs.openSync(path.join(directory, 'fsync'), 'w');
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < 1000; count++) {
    fs.writeSync(fd, BODY);
    fs.fsyncSync(fd);
  }
  fs.closeSync(fd);
  return count / ((performance.now() - start) / 1000);
}

async function median(times: number, work: (n: number) => Promise<void> | void): Promise<number> {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const start = performance.now();
    await work(n);
    took.push(performance.now() - start);
  }
  return took.sort((a, b) => a - b)[Math.floor(times / 2)]!;
}

/** Prepend and list in a mailbox of many messages, beside one plain copy of the file, and one copy with fsync. */
async function costsAt(directory: string, count: number): Promise<Record<string, number>> {
  const mailbox = agentMailbox(directory, `size-${count}`);
  const fd = fs.openSync(mailbox, 'w');
  for (let n = count; n > 0; n--) fs.writeSync(fd, writeFlatMessage(message('old', n)));
  fs.closeSync(fd);
  const box = new FlatFile(mailbox);
  await box.prepend(message('first', 0));
  const copy = path.join(directory, 'copy');
  const plain = await median(7, () => fs.copyFileSync(mailbox, copy));
  const durable = await median(7, () => {
    fs.copyFileSync(mailbox, copy);
    const out = fs.openSync(copy, 'r+');
    fs.fsyncSync(out);
    fs.closeSync(out);
  });
  const prepend = await median(7, async (n) => void (await box.prepend(message('new', n))));
  const page = await median(7, () => void box.list({ limit: 50 }));
  const all = await median(3, () => void box.list());
  return { plain, durable, prepend, page, all, bytes: fs.statSync(mailbox).size };
}

const ROUNDS = 3;

/** Recipe and ours in turns, so that whatever else the machine does hits both; the median of the ratios counts. */
async function compare(directory: string, producers: number): Promise<string> {
  const rounds: { recipe: number; processes: number; inside: number }[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const recipe = await recipeRate(directory, producers, Math.ceil(96 / producers));
    const processes = await processRate(
      directory,
      producers,
      Math.ceil((producers === 1 ? 600 : 2400) / producers),
    );
    const inside = await inProcessRate(
      directory,
      producers,
      Math.ceil((producers === 1 ? 600 : 2400) / producers),
    );
    rounds.push({ recipe, processes, inside });
  }
  const middle = (of: (round: (typeof rounds)[number]) => number): number =>
    rounds.map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]!;
  const times = (key: 'processes' | 'inside'): string =>
    `${middle((round) => round[key]).toFixed(0)}/s (${middle((round) => round[key] / round.recipe).toFixed(1)}x)`;
  return (
    `${String(producers).padStart(2)} producers: recipe ${middle(({ recipe }) => recipe).toFixed(0)}/s, ` +
    `processes ${times('processes')}, in one process ${times('inside')}`
  );
}

export async function run(print: (line: string) => void): Promise<void> {
  const directory = fs.mkdtempSync(
    path.join(process.env['ROUSE_BENCH_DIR'] ?? os.tmpdir(), 'rouse-bench-flatfile-'),
  );
  try {
    print('flat file: durable sends per second beside the shell recipe (which does not fsync)');
    print(`  raw fsync rate of this disk            ${fsyncRate(directory).toFixed(0)}/s`);
    for (const producers of [1, 8, 32]) print(`  ${await compare(directory, producers)}`);
    print('flat file: milliseconds by size (median)');
    for (const count of [1_000, 10_000, 100_000]) {
      const { plain, durable, prepend, page, all, bytes } = (await costsAt(directory, count)) as Record<
        string,
        number
      > & {
        plain: number;
        durable: number;
        prepend: number;
        page: number;
        all: number;
        bytes: number;
      };
      print(
        `  ${String(count).padStart(6)} messages (${(bytes / 1e6).toFixed(1)} MB): copy ${plain.toFixed(1)}, ` +
          `copy+fsync ${durable.toFixed(1)}, prepend ${prepend.toFixed(1)} ` +
          `(${(prepend / plain).toFixed(1)}x copy, ${(prepend / durable).toFixed(1)}x copy+fsync), ` +
          `list page ${page.toFixed(2)}, list all ${all.toFixed(0)}`,
      );
    }
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
