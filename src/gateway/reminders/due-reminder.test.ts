import { expect, it } from 'vitest';
import { FakeClock, silentLog } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { ExecutionSlot, LanePause } from '../dispatch/index.ts';
import { Turns } from '../turns/index.ts';
import { LIVE_REMINDER_MIGRATIONS, REMINDER_MIGRATIONS, ReminderStore, Reminders } from './index.ts';

it('a durable reminder whose start cannot be written is delivered once the disk takes it, and once', async () => {
  const clock = new FakeClock();
  const surface = new FakeSurface();
  const db = openSqlite({
    file: ':memory:',
    migrations: [...REMINDER_MIGRATIONS, ...LIVE_REMINDER_MIGRATIONS],
  });
  const reminders = new Reminders({
    backend: 'local_interactive',
    surface,
    slot: new ExecutionSlot(),
    pause: new LanePause(clock),
    turns: new Turns(clock),
    log: silentLog,
    clock,
    store: new ReminderStore(db),
    events: { write: () => {}, close: () => {} },
    blockedBy: () => undefined,
    wake: () => {},
  });
  reminders.edit.create([
    {
      mode: 'one_off',
      title: 'durable',
      prompt: 'look at it',
      ranking: 0,
      paused: false,
      start_after_seconds: 1,
      durable: true,
      missed: 'once',
    },
  ]);
  await clock.advance(1000);
  db.exec(
    `CREATE TRIGGER full BEFORE INSERT ON gateway_reminders BEGIN SELECT RAISE(ABORT, 'disk full'); END`,
  );
  await expect(reminders.pass()).rejects.toThrow('disk full');
  expect(reminders.edit.list().reminders[0]).toMatchObject({ delivery_state: 'overdue' });
  db.exec('DROP TRIGGER full');
  await reminders.pass();
  await reminders.pass();
  expect(surface.submitted).toEqual(['look at it']);
  expect(reminders.edit.list().reminders).toEqual([]);
  db.close();
});
