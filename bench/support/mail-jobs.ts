import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { Ending, releaseFlock, systemClock, tryFlock } from '../../src/base/index.ts';
import { GatewayClient } from '../../src/client/index.ts';
import { openSqlite, type Sqlite } from '../../src/db/index.ts';
import { testGateway } from '../../src/gateway/testing.ts';
import { type Mailbox, openMailbox, openMailStore } from '../../src/mail/index.ts';
import { startRacer } from './race.ts';

export const BODY = 'A body of about a kilobyte, as agents write them to each other. '.repeat(16);
export const READER = 'reader@houmao.localhost';
export const WRITER = 'writer@houmao.localhost';
/** Untimed sends: writers are long-lived, and V8 optimises their code after hundreds of sends. */
export const warmUp = (producers: number): number => Math.max(50, Math.ceil(1000 / producers));

const letter = (n: number) => ({ to: [READER], subject: `message ${n}`, body_content: BODY });

export async function send(mailbox: Mailbox, n: number): Promise<void> {
  await mailbox.send(letter(n));
}

const job = process.env['ROUSE_BENCH_MAIL_JOB'];
if (job !== undefined) await runJob(JSON.parse(job) as Job);

export type Job =
  | { kind: 'write'; root: string; warmUp: number; count: number }
  | { kind: 'append'; file: string; warmUp: number; count: number }
  | { kind: 'insert'; file: string; warmUp: number; count: number }
  | { kind: 'serve'; root: string }
  | { kind: 'ask'; port: number; warmUp: number; count: number }
  | { kind: 'watch'; root: string }
  | { kind: 'read'; root: string }
  | { kind: 'bare'; file: string };

/** Runs in a separate process. */
async function runJob(order: Job): Promise<void> {
  if (order.kind === 'bare') {
    fs.watch(order.file, () => process.stdout.write(`${process.hrtime.bigint()}\n`));
    process.stdout.write('ready\n');
    await once(process.stdin.resume(), 'end');
    process.exit(0);
  }
  if (order.kind === 'append' || order.kind === 'insert') {
    await produce(order, order.kind === 'append' ? appender(order.file) : inserter(order.file));
    process.exit(0);
  }
  if (order.kind === 'serve') return serve(order.root);
  if (order.kind === 'ask') {
    await produce(order, asker(order.port));
    process.exit(0);
  }
  const store = openMailStore({ root: order.root });
  if (order.kind === 'watch') {
    await store.mailbox(READER).watch(() => process.stdout.write(`${process.hrtime.bigint()}\n`));
    process.stdout.write('ready\n');
    await once(process.stdin.resume(), 'end');
  } else if (order.kind === 'read') {
    process.stdout.write(`${await mostMemory(store.mailbox(READER))}\n`);
  } else {
    const mailbox = store.mailbox(WRITER);
    await produce(order, (n) => send(mailbox, n));
    await store.close();
  }
  process.exit(0);
}

/** Sends, and prints at the end how much processor time it took, in microseconds. */
async function produce(
  { warmUp, count }: { warmUp: number; count: number },
  step: (n: number) => Promise<void> | void,
): Promise<void> {
  for (let n = 0; n < warmUp; n++) await step(n);
  process.stdout.write('ready\n');
  await once(process.stdin, 'data');
  const before = process.cpuUsage();
  for (let n = 0; n < count; n++) await step(n);
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${user + system}\n`);
}

/** Writes and flushes 4 kB to one file for all processes, which wait only for the disk. */
function appender(file: string): (n: number) => void {
  const fd = fs.openSync(file, 'a');
  const block = Buffer.alloc(4096, 'x');
  return () => {
    fs.writeSync(fd, block);
    fs.fdatasyncSync(fd);
  };
}

/** The minimum access to a shared database: flock, one insert, then the flush outside the lock. */
function inserter(file: string): (n: number) => Promise<void> {
  const db = plainTable(file, false);
  const log = fs.openSync(`${file}-wal`, 'r+');
  const lock = fs.openSync(`${file}.lock`, 'a');
  return async (n) => {
    while (!tryFlock(lock)) await new Promise((resolve) => setImmediate(resolve));
    insertPlain(db, n);
    releaseFlock(lock);
    fs.fdatasyncSync(log);
  };
}

/** Runs a gateway for the writer's mailbox and prints its port. */
async function serve(root: string): Promise<never> {
  const ending = new Ending();
  const binding = {
    transport: 'filesystem',
    principal_id: WRITER,
    address: WRITER,
    filesystem_root: root,
    bindings_version: '1',
    mailbox_kind: 'in_root',
    mailbox_path: `${root}/mailboxes/${WRITER}`,
  } as const;
  const { gateway } = await testGateway(ending, {
    config: {
      mailboxBinding: () => binding,
      openMailbox: (wanted) => openMailbox(wanted, { clock: systemClock }),
    },
  });
  process.stdout.write(`${gateway.port}\n`);
  await once(process.stdin.resume(), 'end');
  await ending.run();
  process.exit(0);
}

/** Sends like an agent's tool whose agent has a gateway. */
function asker(port: number): (n: number) => Promise<void> {
  const client = new GatewayClient({ host: '127.0.0.1', port, timeoutMs: 30_000 });
  return async (n) => {
    await client.call('mail.send', { body: letter(n) });
  };
}

/** A plain table of mail. */
export function plainTable(file: string, durable: boolean): Sqlite {
  const sql = 'CREATE TABLE mail (id INTEGER PRIMARY KEY, sender TEXT, subject TEXT, body TEXT)';
  return openSqlite({ file, durable, migrations: [{ id: '1', sql }] });
}

export function insertPlain(db: Sqlite, n: number): void {
  db.run('INSERT INTO mail (sender, subject, body) VALUES (?, ?, ?)', ['w', `message ${n}`, BODY]);
}

/** Reads the whole inbox page by page, then fifty bodies at once. Returns this process's peak memory in bytes. */
async function mostMemory(mailbox: Mailbox): Promise<number> {
  let cursor: string | null = null;
  do {
    const page = await mailbox.list({ limit: 100, cursor });
    cursor = page.next_cursor;
  } while (cursor !== null);
  await mailbox.list({ limit: 50, include_body: true });
  return process.resourceUsage().maxRSS * 1024;
}

export function startJob(order: Job): ChildProcess {
  return startRacer(process.execPath, [process.argv[1]!], { ROUSE_BENCH_MAIL_JOB: JSON.stringify(order) });
}
