import { expect, it } from 'vitest';
import { openSqlite } from '../../../db/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../queue-file.ts';
import { readAnnounced, readWakeHealth } from './read-wake-health.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 3, 16, 9, 0, seconds)).toISOString();

it('wakes are counted step by step, each by its own evidence, since a time', () => {
  const db = openSqlite({ file: ':memory:', migrations: QUEUE_FILE_MIGRATIONS });
  let entry = 0;
  const wake = (accepted: number, outcome: string | null, stages: [string, number][]): string => {
    const id = `wake-${accepted}`;
    db.run(
      `INSERT INTO gateway_requests (sequence, request_id, request_kind, payload_json, state, accepted_at_utc,
         managed_agent_instance_epoch, source, priority, outcome) VALUES (?, ?, 'mail_notifier_prompt', '{}', ?, ?, 1, 'notifier', 50, ?)`,
      [++entry, id, outcome === null ? 'accepted' : 'completed', at(accepted), outcome],
    );
    for (const [stage, seconds] of stages)
      db.run(
        `INSERT INTO gateway_request_ledger (entry_id, request_id, stage, source, at_utc, facts_json) VALUES (?, ?, ?, 'lane', ?, '{}')`,
        [++entry, id, stage, at(seconds)],
      );
    db.run(
      `INSERT INTO gateway_notifier_audit (poll_time_utc, outcome, enqueued_request_id) VALUES (?, 'enqueued', ?)`,
      [at(accepted), id],
    );
    db.run(`INSERT INTO gateway_notifier_announced (message_ref, request_id) VALUES (?, ?)`, [
      `filesystem:${id}`,
      id,
    ]);
    return id;
  };
  wake(0, 'submitted', [
    ['typed', 1],
    ['submitted', 2],
    ['turn_seen', 3],
    ['turn_finished', 9],
  ]);
  wake(20, 'submitted', [
    ['typed', 21],
    ['submitted', 22],
    ['turn_seen', 23],
    ['turn_finished', 62],
  ]);
  wake(30, 'submitted', [
    ['typed', 31],
    ['submitted', 40],
  ]);
  wake(50, 'unconfirmed', [['typed', 51]]);
  wake(60, 'expired', []);
  wake(70, null, []);
  const { steps, losses, submit, turn } = readWakeHealth(db, Date.parse(at(10)));
  expect(steps).toEqual({ decided: 5, accepted: 5, typed: 3, submitted: 2, turn_seen: 1, turn_ended: 1 });
  expect(losses).toEqual({ unconfirmed: 1, expired: 1, under_way: 1 });
  expect([submit, turn].map((counts) => counts.reduce((sum, each) => sum + each, 0))).toEqual([2, 1]);
  expect(readAnnounced(db, Date.parse(at(10)))).toHaveLength(5);
  expect(readWakeHealth(db, Date.parse(at(100))).steps.accepted).toBe(0);
  db.close();
});
