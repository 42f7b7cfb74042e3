import { describe, expect, it } from 'vitest';
import { type Clock, FakeClock } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import type { ReminderDefinition } from '../../domain/index.ts';
import { LIVE_REMINDER_MIGRATIONS, REMINDER_MIGRATIONS, ReminderStore } from './index.ts';
import { ReminderBook } from './reminder-book.ts';

/** A clock on which time passes between any two reads, unevenly on both clocks, as on a busy machine. */
function restless(clock: FakeClock): Clock {
  let looks = 0;
  return {
    now: () => new Date(clock.now().getTime() + ++looks),
    monotonic: () => clock.monotonic() + looks * 0.7,
    after: (ms, call) => clock.after(ms, call),
  };
}

const common = { title: 'later', prompt: 'look again', ranking: 0, paused: false };
const DEFINITIONS: ReminderDefinition[] = [
  { ...common, mode: 'one_off', start_after_seconds: 3600 },
  { ...common, mode: 'repeat', start_after_seconds: 3600, interval_seconds: 5 },
];

describe('a reminder that is handed over to the next gateway', () => {
  it.each(DEFINITIONS)('a handed-over reminder keeps its due time: $mode', (definition) => {
    const clock = restless(new FakeClock());
    const db = openSqlite({
      file: ':memory:',
      migrations: [...REMINDER_MIGRATIONS, ...LIVE_REMINDER_MIGRATIONS],
    });
    const book = (): ReminderBook =>
      new ReminderBook({
        store: new ReminderStore(db),
        events: { write: () => {} },
        clock,
      });
    let before = book();
    before.add([definition]);
    for (let times = 0; times < 5; times++) {
      before.close({ handOver: true });
      const next = book();
      next.restore();
      next.takenOver();
      before = next;
    }
    const [kept] = before.set.inOrder();
    const left = kept!.due.at - clock.monotonic();
    expect(left).toBeGreaterThan(3_599_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
    db.close();
  });
});
