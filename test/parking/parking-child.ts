import * as path from 'node:path';
import { armCrashPoint, Emitter, FakeClock, systemClock } from '../../src/base/index.ts';
import { openSqlite } from '../../src/db/index.ts';
import { ExecutionSlot } from '../../src/gateway/dispatch/index.ts';
import { RequestQueue } from '../../src/gateway/queue/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import { resumeAfterLimit } from '../../src/gateway/resume-after-limit.ts';
import { NO_TURN } from '../../src/screen/index.ts';
import { takeSlot } from '../../src/terminal/limits/account-slots.ts';
import { Parking } from '../../src/terminal/limits/parking.ts';

/** Notes a limit, or asks an agent to continue after one, and dies at the given instant. */
const [, , what = '', directory = '', at = ''] = process.argv;
armCrashPoint(at || undefined);
if (what === 'park') await park();
else await resume();

async function park(): Promise<void> {
  const changed = new Emitter<void>();
  const parking = new Parking({
    file: path.join(directory, 'limit.json'),
    clock: systemClock,
    uptime: () => systemClock.monotonic(),
    takeSlot: (fromMs) =>
      takeSlot(
        path.join(directory, 'limits'),
        { tool: 'claude', home: '/h' },
        { fromMs, clock: systemClock },
      ),
    changed: () => changed.emit(),
  });
  const text = "You've hit your session limit · resets in 2h";
  const taken = changed.next();
  parking.look({
    seen: { text, resets: 'in 2h', untilMs: null, cut: true, source: 'screen' },
    turn: { ...NO_TURN, phase: 'ready' },
    readable: true,
  });
  if (parking.view?.slotUtc === null) await taken;
  process.stdout.write(JSON.stringify({ view: parking.view, hold: parking.hold }));
}

async function resume(): Promise<void> {
  const db = openSqlite({ file: path.join(directory, 'queue.sqlite'), migrations: QUEUE_FILE_MIGRATIONS });
  const clock = new FakeClock();
  const queue = new RequestQueue(db, clock);
  const limit = { id: 'one', untilUtc: '', slotUtc: '', over: true, cut: true, stays: false };
  const pass = resumeAfterLimit({
    surface: { observation: () => ({ limit, ready: true }) } as never,
    queue,
    slot: new ExecutionSlot(),
    clock,
    admission: () => 'open',
    epoch: () => 1,
    policy: () => 'resume',
    wakeIsDue: () => false,
  });
  await pass();
  await clock.advance(60_000);
  await pass();
  process.stdout.write(JSON.stringify({ rows: queue.queued(10).length }));
  db.close();
}
