/**
 * A process that works on one mailbox as its arguments (JSON) say, for tests that need many such processes or
 * kill one. It prints one line of JSON for each thing done.
 */
import * as fs from 'node:fs';
import { armCrashPoint, isRouseError } from '../../src/base/index.ts';
import { FlatFile, type FlatMessage, relayFlatFiles } from '../../src/mail/flatfile/index.ts';

export interface Order {
  what: 'write' | 'read' | 'set-status' | 'archive' | 'relay' | 'prepend' | 'list' | 'fsck';
  mailbox: string;
  writer?: string;
  count?: number;
  /** One of this many messages is sent again. */
  again?: number;
  ref?: string;
  status?: string;
  directories?: string[];
  body?: string;
  /** Print each message when it is sent. */
  tell?: boolean;
  timeoutMs?: number;
}

const order = JSON.parse(process.argv[2]!) as Order;
armCrashPoint(process.env['ROUSE_CRASH_AT']);
const say = (line: unknown): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

function message(writer: string, n: number): FlatMessage {
  return {
    fields: new Map([
      ['from', `${writer}@x`],
      ['to', 'reader@x'],
      ['re', `message ${n} of ${writer}`],
      ['msg-id', `${writer}-${n}`],
    ]),
    body: `line one of ${writer} ${n}\n\n---\n\nend of ${writer} ${n}`,
  };
}

async function write(box: FlatFile, { writer = 'w', count = 1, again = 0, timeoutMs }: Order): Promise<void> {
  const results = { prepended: 0, duplicate: 0, timeouts: 0 };
  const send = async (n: number): Promise<void> => {
    for (;;) {
      try {
        const { result } = await box.prepend(message(writer, n), { timeoutMs });
        results[result]++;
        return;
      } catch (error) {
        if (!isRouseError(error) || error.facts['lock_timeout'] !== true) throw error;
        results.timeouts++;
      }
    }
  };
  for (let n = 1; n <= count; n++) {
    await send(n);
    if (order.tell) say(n);
    if (again > 0 && n % again === 0) await send(n);
  }
  await box.idle();
  say(results);
}

/** Reads until it is stopped, and fails on anything that is not a complete message. */
async function read(box: FlatFile): Promise<void> {
  let reads = 0;
  let max = 0;
  let stop = false;
  process.stdin.once('data', () => {
    stop = true;
  });
  say('ready');
  while (!stop) {
    const { entries, damaged } = box.list({ includeBody: true });
    if (damaged > 0) throw new Error('torn read');
    if (entries.length < max) throw new Error(`saw ${max} messages, then ${entries.length}`);
    max = entries.length;
    for (const { ref, body = '' } of entries) {
      const name = /^(\w+)-(\d+)$/.exec(ref);
      if (name && !body.endsWith(`end of ${name[1]} ${name[2]}`)) throw new Error(`torn body of ${ref}`);
    }
    reads++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  say({ reads, max });
  process.exit(0);
}

async function main(): Promise<void> {
  const { what, mailbox, ref = '', directories = [] } = order;
  if (what === 'relay') return say(await relayFlatFiles(directories.map((directory) => ({ directory }))));
  const box = new FlatFile(mailbox);
  if (what === 'write') return write(box, order);
  if (what === 'read') return read(box);
  if (what === 'list') return say(box.list().entries.map(({ ref: each }) => each));
  if (what === 'fsck') return say(box.fsck());
  if (what === 'set-status') return box.setStatus([ref], { to: order.status! });
  if (what === 'archive') return say(await box.archive({ refs: [ref] }));
  const fields = new Map([
    ['from', 'a@x'],
    ['to', 'b@x'],
    ['re', 'one'],
    ['msg-id', ref],
  ]);
  say(await box.prepend({ fields, body: order.body ?? 'text' }, { timeoutMs: order.timeoutMs }));
  await box.idle();
}

await main();
if (process.env['ROUSE_TELL_RSS']) {
  // getrusage also counts the memory of the process that started this one.
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(fs.readFileSync('/proc/self/status', 'utf8'))!;
  say({ rss_mb: Number(peak) / 1024 });
}
