import * as fs from 'node:fs';
import { expect } from 'vitest';
import type { MailMessage } from '../../src/domain/index.ts';
import type { Mailbox } from '../../src/mail/index.ts';
import { isWhole } from './child-jobs.ts';
import { addressOf, type Child, type StoreUnderTest, startChild, temporaryDirectory } from './harness.ts';

export interface StormSize {
  writers: number;
  messages: number;
  readers: number;
  retryShare: number;
}

/** Many writer processes, some retries, readers at the same time: nothing is lost, doubled or torn, and each writer's order is kept. */
export async function proveStorm(store: StoreUnderTest, size: StormSize): Promise<void> {
  const directory = temporaryDirectory();
  const writers = Array.from({ length: size.writers }, (_, i) => `writer-${i}`);
  const children: Child[] = [];
  try {
    const place = await store.prepare(directory, ['reader', ...writers]);
    const readerJob = { kind: 'read' as const, place, name: 'reader' };
    const readers = await startAll(size.readers, () => startChild(store, readerJob), children);
    const writing = await startAll(
      writers.length,
      (i) =>
        startChild(store, {
          kind: 'write',
          place,
          name: writers[i]!,
          to: addressOf('reader'),
          count: size.messages,
          retryShare: size.retryShare,
        }),
      children,
    );
    for (const child of [...readers, ...writing]) child.say('go');
    const written = await Promise.all(writing.map(({ done }) => done));
    for (const reader of readers) reader.say('stop');
    const read = await Promise.all(readers.map(({ done }) => done));

    let retried = 0;
    let duplicates = 0;
    for (const { report } of written) {
      expect(report?.error).toBeUndefined();
      expect(report?.sent).toBe(size.messages);
      retried += report?.retried ?? 0;
      duplicates += report?.duplicates ?? 0;
    }
    expect(retried).toBeGreaterThan(0);
    expect(duplicates).toBeGreaterThanOrEqual(retried);
    for (const { report } of read) {
      expect(report?.error).toBeUndefined();
      expect(report?.torn).toEqual([]);
      expect(report?.passes).toBeGreaterThan(0);
    }
    await store.settle?.(place);
    const mailbox = await store.openMailbox(place, 'reader');
    try {
      proveAllThere(await everyMessage(mailbox), { writers, count: size.messages });
      expect(await mailbox.status()).toMatchObject({ set_aside_count: 0, warnings: [] });
    } finally {
      await mailbox.close();
    }
  } finally {
    for (const child of children) if (child.process.exitCode === null) child.process.kill('SIGKILL');
    await Promise.all(children.map(({ done }) => done));
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

async function startAll(count: number, start: (i: number) => Promise<Child>, all: Child[]): Promise<Child[]> {
  const started: Child[] = [];
  for (let i = 0; i < count; i++) {
    const child = await start(i);
    started.push(child);
    all.push(child);
  }
  await Promise.all(started.map(({ ready }) => ready));
  return started;
}

/** Newest first, page by page. */
export async function everyMessage(mailbox: Mailbox, box = 'inbox'): Promise<MailMessage[]> {
  const all: MailMessage[] = [];
  let cursor: string | null = null;
  do {
    const page = await mailbox.list({ box, limit: 500, include_body: true, cursor });
    all.push(...page.messages);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

function proveAllThere(
  newestFirst: MailMessage[],
  { writers, count }: { writers: string[]; count: number },
): void {
  expect(newestFirst.filter((message) => !isWhole(message))).toEqual([]);
  const byWriter = new Map<string, number[]>();
  for (const { subject } of newestFirst.toReversed()) {
    const [, name, n] = /^(.+) #(\d+)$/.exec(subject)!;
    byWriter.set(name!, [...(byWriter.get(name!) ?? []), Number(n)]);
  }
  expect([...byWriter.keys()].sort()).toEqual([...writers].sort());
  const inOrder = Array.from({ length: count }, (_, n) => n);
  for (const writer of writers) expect(byWriter.get(writer), writer).toEqual(inOrder);
}
