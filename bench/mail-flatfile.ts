import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isRouseError } from '../src/base/index.ts';
import { FlatFile, type FlatMessage, writeFlatMessage } from '../src/mail/flatfile/index.ts';
import { median, middle } from './support/median.ts';
import { race, startRacer } from './support/race.ts';
import { commandRate, inlinedRate, recipeRate, timesRecipe } from './support/shell-recipe.ts';

/**
 * Flat-file mail compared with the shell recipe that it replaces, in one run on one disk: the script once per message, as it
 * is used, and its lines inlined in a loop of one shell, which is the harder comparison. Ours returns after fsync of file and
 * directory; the recipe does not fsync.
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
  /** Where it sends its first messages, untimed, because writers are long-lived and V8 optimises their code. */
  warmUp: string;
}

/** The number of messages it sends alone, while it always holds the lock itself, before it sends together with the others. */
const ALONE = 200;
const TOGETHER = 100;

/** Long-lived writers try again if the lock stays taken. */
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

/** Runs in a separate process: waits for the start, then sends one message after the other. */
async function writer(spec: string): Promise<void> {
  const { mailbox, name, count, warmUp } = JSON.parse(spec) as WriterSpec;
  const alone = agentMailbox(path.dirname(warmUp), name);
  for (const [place, many] of [[alone, ALONE] as const, [warmUp, TOGETHER] as const]) {
    const first = new FlatFile(place);
    for (let n = 0; n < many; n++) await send(first, message(name, n));
    await first.idle();
  }
  const box = new FlatFile(mailbox);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  for (let n = 0; n < count; n++) await send(box, message(name, n));
  process.stdout.write('done\n');
  await box.idle();
  process.exit(0);
}

const WRITER = 'ROUSE_BENCH_FLATFILE_WRITER';
const spec = process.env[WRITER];
if (spec !== undefined) await writer(spec);

async function processRate(directory: string, producers: number, each: number): Promise<number> {
  const mailbox = agentMailbox(directory, `processes-${producers}`);
  const warmUp = agentMailbox(directory, `warm-up-${producers}`);
  const children = Array.from({ length: producers }, (_, n) => {
    const order = JSON.stringify({ mailbox, name: `w${n}`, count: each, warmUp });
    return startRacer(process.execPath, [process.argv[1]!], { [WRITER]: order });
  });
  const seconds = await race(children);
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
  for (; performance.now() - start < 500; count++) {
    fs.writeSync(fd, BODY);
    fs.fsyncSync(fd);
  }
  fs.closeSync(fd);
  return count / ((performance.now() - start) / 1000);
}

interface SizeCosts {
  plain: number;
  durable: number;
  prepend: number;
  page: number;
  all: number;
  bytes: number;
}

/** Prepend and list in a mailbox of many messages, compared with one plain copy of the file, and one copy with fsync. */
async function costsAt(directory: string, count: number): Promise<SizeCosts> {
  const mailbox = agentMailbox(directory, `size-${count}`);
  const fd = fs.openSync(mailbox, 'w');
  for (let n = count; n > 0; n--) fs.writeSync(fd, writeFlatMessage(message('old', n)));
  fs.closeSync(fd);
  const box = new FlatFile(mailbox);
  await box.prepend(message('first', 0));
  const copy = path.join(directory, 'copy');
  const took = { plain: [] as number[], durable: [] as number[], prepend: [] as number[] };
  for (let n = 0; n < 9; n++) {
    took.plain.push(await median(1, () => fs.copyFileSync(mailbox, copy)));
    took.durable.push(await median(1, () => copyDurably(mailbox, copy)));
    took.prepend.push(await median(1, () => box.prepend(message('new', n))));
  }
  const [plain, durable, prepend] = [middle(took.plain), middle(took.durable), middle(took.prepend)];
  const page = await median(7, () => void box.list({ limit: 50 }));
  const all = await median(3, () => void box.list());
  return { plain, durable, prepend, page, all, bytes: fs.statSync(mailbox).size };
}

function copyDurably(from: string, to: string): void {
  fs.copyFileSync(from, to);
  const fd = fs.openSync(to, 'r+');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

const ROUNDS = 5;

interface Round {
  fsync: number;
  script: number;
  inlined: number;
  command: number;
  processes: number;
  inside: number;
}

/** Recipe and ours alternate, so other load affects both; the median of the ratios counts. */
async function compare(directory: string, producers: number, print: (line: string) => void): Promise<void> {
  const each = Math.ceil((producers === 1 ? 300 : 800) / producers);
  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const place = fs.mkdtempSync(path.join(directory, 'recipe-'));
    // Half as many messages as ours: the file it copies stays shorter, to its advantage.
    const load = { directory: place, producers, each: Math.ceil(each / 2), body: BODY };
    rounds.push({
      fsync: fsyncRate(directory),
      script: await recipeRate(load),
      processes: await processRate(directory, producers, each),
      inlined: await inlinedRate(load),
      inside: await inProcessRate(directory, producers, each),
      command: await commandRate({ ...load, each: Math.ceil(8 / producers) }, prependCommand),
    });
  }
  const rate = (key: keyof Round): string => `${middle(rounds.map((round) => round[key])).toFixed(0)}/s`;
  const times = (key: keyof Round, beside: keyof Round): number =>
    middle(rounds.map((round) => round[key] / round[beside]));
  const line = (key: keyof Round): string =>
    `${rate(key)} = ${timesRecipe(times(key, 'script'), producers)}, ${times(key, 'inlined').toFixed(1)}x inlined`;
  print(`  ${producers} producer${producers === 1 ? '' : 's'} (raw fsync ${rate('fsync')})`);
  print(`    recipe, a script per message             ${rate('script')}`);
  print(`    recipe inlined in a loop of one shell    ${rate('inlined')}`);
  print(`    ours, long-lived processes               ${line('processes')}`);
  print(`    ours, all in one process                 ${line('inside')}`);
  print(
    `    rouse mailfile prepend, a process each   ${rate('command')} = ${times('command', 'script').toFixed(2)}x recipe: each pays the start of Node`,
  );
}

function prependCommand(mailbox: string): string[] {
  return [path.join(process.env['ROUSE_ROOT']!, 'bin', 'rouse'), 'mailfile', 'prepend', '--mailbox', mailbox];
}

const PRODUCERS = [1, 8, 32];

/** `npm run bench -- mail-flatfile [PRODUCERS …|sizes]`; without a name, all of it. */
export async function run(print: (line: string) => void, names: string[] = []): Promise<void> {
  const directory = fs.mkdtempSync(
    path.join(process.env['ROUSE_BENCH_DIR'] ?? os.tmpdir(), 'rouse-bench-flatfile-'),
  );
  const wanted = (name: string | number): boolean => names.length === 0 || names.includes(String(name));
  try {
    if (PRODUCERS.some(wanted)) {
      print('flat file: durable sends per second, compared with the shell recipe (which does not fsync)');
      for (const producers of PRODUCERS.filter(wanted)) await compare(directory, producers, print);
    }
    if (wanted('sizes')) await sizes(directory, print);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function sizes(directory: string, print: (line: string) => void): Promise<void> {
  print('flat file: milliseconds by size (median)');
  for (const count of [1_000, 10_000, 100_000]) {
    const { plain, durable, prepend, page, all, bytes } = await costsAt(directory, count);
    print(
      `  ${String(count).padStart(6)} messages (${(bytes / 1e6).toFixed(1)} MB): copy ${plain.toFixed(1)}, ` +
        `copy+fsync ${durable.toFixed(1)}, prepend ${prepend.toFixed(1)} ` +
        `(${(prepend / plain).toFixed(1)}x copy, ${(prepend / durable).toFixed(1)}x copy+fsync), ` +
        `list page ${page.toFixed(2)}, list all ${all.toFixed(0)}`,
    );
  }
}
