import { createHash } from 'node:crypto';
import { armCrashPoint, isRouseError } from '../../src/base/index.ts';
import type { MailMessage } from '../../src/domain/index.ts';
import { ANY_FILE, type Mailbox } from '../../src/mail/index.ts';

/** The job of a child process on a mailbox. */
export type Job = { place: unknown; name: string; crashAt?: string } & (
  | { kind: 'write'; to: string; count: number; retryShare: number }
  | { kind: 'read' }
  | { kind: 'send'; to: string; subject: string; body: string; key: string; copyOf?: string }
  | { kind: 'archive'; refs: string[] }
);

export interface JobReport {
  sent?: number;
  retried?: number;
  duplicates?: number;
  passes?: number;
  seen?: number;
  torn?: string[];
  error?: { code: string; message: string };
}

/** Runs in the child: opens the mailbox, prints "ready", waits for the start, works, reports. */
export function serveJobs(openMailbox: (place: unknown, name: string) => Promise<Mailbox>): void {
  const job = JSON.parse(process.argv[2]!) as Job;
  void run(job, openMailbox)
    .catch((error): JobReport => {
      const code = isRouseError(error) ? error.code : 'unexpected';
      return {
        error: { code, message: error instanceof Error ? (error.stack ?? error.message) : String(error) },
      };
    })
    .then((report) => process.send!({ report }, () => process.disconnect()));
}

async function run(
  job: Job,
  openMailbox: (place: unknown, name: string) => Promise<Mailbox>,
): Promise<JobReport> {
  const words: string[] = [];
  let heard: (() => void) | undefined;
  process.on('message', (word: string) => {
    words.push(word);
    heard?.();
  });
  const hear = async (word: string): Promise<void> => {
    while (!words.includes(word)) await new Promise<void>((resolve) => (heard = resolve));
  };
  const mailbox = await openMailbox(job.place, job.name);
  process.send!({ ready: true });
  await hear('go');
  armCrashPoint(job.crashAt);
  const report = await work(job, mailbox, () => words.includes('stop'));
  await mailbox.close();
  return report;
}

async function work(job: Job, mailbox: Mailbox, stopped: () => boolean): Promise<JobReport> {
  switch (job.kind) {
    case 'write':
      return writeMany(job, mailbox);
    case 'read':
      return readOn(mailbox, stopped);
    case 'send': {
      const { to, subject, body, key, copyOf } = job;
      const attachments = copyOf === undefined ? {} : { attachments: [{ path: copyOf, copy: true }] };
      const draft = { to: [to], subject, body_content: body, idempotency_key: key, ...attachments };
      const sent = await mailbox.send(draft, ANY_FILE);
      return { sent: 1, duplicates: sent.duplicate ? 1 : 0 };
    }
    case 'archive':
      await mailbox.archive(job.refs);
      return {};
  }
}

async function writeMany(
  { name, to, count, retryShare }: Extract<Job, { kind: 'write' }>,
  mailbox: Mailbox,
): Promise<JobReport> {
  const report = { sent: 0, retried: 0, duplicates: 0 };
  for (let n = 0; n < count; n++) {
    const draft = {
      to: [to],
      subject: subjectFor(name, n),
      body_content: bodyFor(name, n),
      idempotency_key: `${name}-${n}`,
    };
    const times = (n * 7919) % 1000 < retryShare * 1000 ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const { duplicate } = await patiently(() => mailbox.send(draft));
      if (duplicate) report.duplicates++;
    }
    report.sent++;
    report.retried += times - 1;
  }
  return report;
}

/** Retries on a busy store, with the same key: that is what the key is for. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable') throw error;
    }
  }
}

async function readOn(mailbox: Mailbox, stopped: () => boolean): Promise<JobReport> {
  const report = { passes: 0, seen: 0, torn: [] as string[] };
  while (!stopped()) {
    const { messages } = await mailbox.list({ include_body: true, limit: 200 });
    report.passes++;
    report.seen += messages.length;
    report.torn.push(...messages.filter((message) => !isWhole(message)).map(({ message_ref: ref }) => ref));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return report;
}

export function subjectFor(name: string, n: number): string {
  return `${name} #${n}`;
}

/** A body that cannot be mistaken for half of itself: its length varies and its last line is a checksum of the rest. */
export function bodyFor(name: string, n: number): string {
  const filling = `line of ${name} ${n} --- \n`.repeat(1 + ((n * 31) % 40));
  return `${filling}sha256 ${sha256(filling)}`;
}

export function isWhole({ subject, body_text: body = '' }: MailMessage): boolean {
  const [, name, n] = /^(.+) #(\d+)$/.exec(subject) ?? [];
  return name !== undefined && body === bodyFor(name, Number(n));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
