import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { FLEET_MIGRATIONS } from '../fleet/index.ts';
import { QUEUE_MIGRATIONS } from '../queue/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../queue-file.ts';
import { REMINDER_MIGRATIONS } from '../reminders/index.ts';
import { NOTIFIER_MIGRATIONS, NotifierStore } from './index.ts';
import { AUDIT_KEEP, type AuditRow } from './notifier-store.ts';

it('the requests of an older database show to which process each message was announced', () => {
  const before = [...QUEUE_MIGRATIONS, ...REMINDER_MIGRATIONS, ...NOTIFIER_MIGRATIONS, ...FLEET_MIGRATIONS];
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-notifier-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'queue.sqlite');
  const old = openSqlite({ file, migrations: before });
  old.run(`INSERT INTO gateway_requests (request_id, request_kind, payload_json, state, accepted_at_utc, source, priority,
    managed_agent_instance_epoch) VALUES ('gwreq-kept', 'mail_notifier_prompt', '{}', 'completed', '2026-01-01T00:00:00.000Z', 'notifier', 0, 3)`);
  old.run(`INSERT INTO gateway_notifier_announced VALUES ('m:1', 'gwreq-kept'), ('m:2', 'gwreq-pruned')`);
  old.close();
  const db = openSqlite({ file, migrations: QUEUE_FILE_MIGRATIONS });
  const store = new NotifierStore(db, new FakeClock());
  expect([...store.announced(3)]).toEqual(['m:1']);
  expect(store.announcedBy('m:2')).toBe('gwreq-pruned');
  store.announce(['m:1', 'm:2'], { requestId: 'gwreq-new', epoch: 3 });
  expect([store.announcedBy('m:1'), store.announcedBy('m:2')]).toEqual(['gwreq-kept', 'gwreq-new']);
  expect([...store.announced(3)].toSorted()).toEqual(['m:1', 'm:2']);
  expect(store.announced(4).size).toBe(0);
  db.close();
});

it('the audit keeps the newest decisions up to a number of bytes, and the wakes that the budget counts', () => {
  const clock = new FakeClock();
  const db = openSqlite({ file: ':memory:', migrations: QUEUE_FILE_MIGRATIONS });
  const store = new NotifierStore(db, clock);
  const row = (more: Partial<AuditRow>): AuditRow => ({
    poll_time_utc: clock.now().toISOString(),
    outcome: 'busy_skip',
    unread_count: 1,
    unread_digest: 'd',
    unread_summary: [],
    request_admission: 'open',
    active_execution: 'idle',
    queue_depth: 0,
    enqueued_request_id: null,
    detail: null,
    facts: null,
    chain: ['é'.repeat(AUDIT_KEEP.bytes / 400)],
    ...more,
  });
  store.audit(row({ outcome: 'enqueued', enqueued_request_id: 'gwreq-1' }));
  for (let n = 0; n < 399; n++) store.audit(row({}));
  const kept = store.decisions(1000);
  expect(kept.length).toBeGreaterThan(150);
  expect(kept.length).toBeLessThanOrEqual(201);
  expect([kept[0]?.audit_id, kept.at(-1)?.enqueued_request_id]).toEqual([400, 'gwreq-1']);
  db.close();
});

it('the record of the notifier is what is stored, also after a change that was rolled back', () => {
  const db = openSqlite({ file: ':memory:', migrations: QUEUE_FILE_MIGRATIONS });
  onTestFinished(() => db.close());
  const store = new NotifierStore(db, new FakeClock());
  store.change({ enabled: true, interval_seconds: 5 });
  const undone = () =>
    db.transaction(() => {
      store.change({ enabled: false });
      expect(store.read().enabled).toBe(false);
      throw new Error('the disk is full');
    });
  expect(undone).toThrow('the disk is full');
  expect(store.read()).toMatchObject({ enabled: true, interval_seconds: 5 });
  expect(store.read()).toEqual(new NotifierStore(db, new FakeClock()).read());
});
