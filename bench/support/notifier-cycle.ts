import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { silentLog, systemClock } from '../../src/base/index.ts';
import { openSqlite } from '../../src/db/index.ts';
import { ExecutionSlot } from '../../src/gateway/dispatch/index.ts';
import { MailAccess } from '../../src/gateway/mail/index.ts';
import { Notifier } from '../../src/gateway/notifier/index.ts';
import { SessionPause } from '../../src/gateway/pause/index.ts';
import { Presence } from '../../src/gateway/presence/index.ts';
import { InstanceStore, RequestQueue } from '../../src/gateway/queue/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import { Turns } from '../../src/gateway/turns/index.ts';
import type { Mailbox } from '../../src/mail/index.ts';
import { FakeSurface } from '../../src/terminal/index.ts';
import { Bench } from './mail-bench.ts';
import { READER } from './mail-jobs.ts';

export interface CycleCost {
  messages: number;
  medianMs: number;
}

/** The cost of one look of the notifier at an unchanged mailbox of each size: read, decide, audit. */
export async function cycleCosts(sizes: readonly number[], cycles: number): Promise<CycleCost[]> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-bench-cycle-'));
  const bench = new Bench(directory);
  try {
    const looks = [];
    for (const size of sizes) looks.push({ size, ...(await openLook(bench, directory, size)) });
    const times = new Map(sizes.map((size) => [size, [] as number[]]));
    // Alternating, so other load affects all sizes alike.
    for (let cycle = 0; cycle < cycles; cycle++) {
      for (const { size, look } of looks) {
        const begun = performance.now();
        await look();
        times.get(size)!.push(performance.now() - begun);
      }
    }
    for (const { close } of looks) await close();
    return sizes.map((messages) => ({ messages, medianMs: median(times.get(messages)!) }));
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

/** A notifier over a real mailbox of that size, whose agent is busy, so every look comes from the interval and is recorded. */
async function openLook(bench: Bench, directory: string, size: number) {
  const store = bench.store();
  await bench.filled(store, 0, size, 'x');
  const file = path.join(directory, `queue-${size}.sqlite`);
  const db = openSqlite({ file, migrations: QUEUE_FILE_MIGRATIONS });
  const queue = new RequestQueue(db, systemClock);
  const surface = new FakeSurface();
  surface.show({ ready: false, reasons: ['busy'] });
  const slot = new ExecutionSlot();
  const hold = new SessionPause('/nowhere/pause.json', systemClock);
  const presence = new Presence({
    surface,
    queue,
    slot,
    hold,
    instances: new InstanceStore(db),
    identity: IDENTITY,
  });
  const mailbox: Mailbox = store.mailbox(READER);
  const mail = new MailAccess(
    () => BINDING,
    async () => ({ mailbox, close: async () => {} }),
  );
  const turns = new Turns(systemClock);
  const on = { db, queue, presence, surface, turns, hold, mail, clock: systemClock, log: silentLog };
  const notifier = new Notifier({ ...on, prompt: () => ({ text: 'wake', problem: null }), wake: () => {} });
  await notifier.settings.enable({
    interval_seconds: 3600,
    mode: 'any_inbox',
    repeat: 'every_poll',
  } as never);
  const look = async (): Promise<void> => {
    notifier.hint('start');
    await notifier.pass();
  };
  for (let i = 0; i < 5; i++) await look();
  return {
    look,
    async close() {
      await mail.close();
      db.close();
      await store.close();
    },
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

const BINDING = {
  transport: 'filesystem',
  principal_id: READER,
  address: READER,
  mailbox_path: '/nowhere',
  filesystem_root: '/nowhere',
  mailbox_kind: 'in_root',
  bindings_version: '1',
} as const;

const IDENTITY = {
  attachIdentity: 'bench',
  backend: 'local_interactive',
  tool: 'scripted',
  tmuxSessionName: 't',
  executionMode: 'detached_process' as const,
  host: '127.0.0.1',
  port: 1,
  window: null,
};
