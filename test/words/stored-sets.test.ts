import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqlite, type Sql, type Sqlite } from '../../src/db/index.ts';
import {
  ALIVE_WORKSPACES,
  CLOSED_TICKETS,
  codesOf,
  DEAD_MESSAGES,
  ENDED_MESSAGES,
  MESSAGE_STATUSES,
  MESSAGE_TURNS,
  NOTIFIER_MODES,
  NOTIFIER_OUTCOMES,
  NUDGED_TICKETS,
  OPEN_TICKETS,
  REQUEST_STATES,
  sqlIs,
  TICKET_KINDS,
  TICKET_STATUSES,
  TRAVELLING_MESSAGES,
  TURNS_GOING_ON,
  WAKES,
  WORKSPACE_STATUSES,
} from '../../src/domain/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';

const sorted = (codes: Iterable<string>): string[] => [...codes].sort();
const quoted = (text: string): string[] => sorted([...text.matchAll(/'(\w+)'/g)].map(([, code]) => code!));

/** Released schemas keep their lists. If a code is added to a table, these tests name the migration it needs. */
describe('the lists of codes in queue.sqlite', () => {
  let db: Sqlite;
  beforeAll(() => {
    db = openSqlite({ file: ':memory:', migrations: QUEUE_FILE_MIGRATIONS });
  });
  afterAll(() => db.close());

  const sqlOf = (name: string): string =>
    db.get<{ sql: string }>('SELECT sql FROM sqlite_master WHERE name = ?', [name])!.sql;
  const checkOf = (table: string, column: string): string[] =>
    quoted(new RegExp(`CHECK \\(${column} IN \\(([^)]*)\\)`).exec(sqlOf(table))![1]!);

  it.each([
    ['gateway_requests', 'state', REQUEST_STATES],
    ['gateway_mail_notifier', 'mode', NOTIFIER_MODES],
    ['gateway_notifier_audit', 'outcome', NOTIFIER_OUTCOMES],
  ])('%s.%s takes exactly the codes of its table', (table, column, codes) => {
    expect(checkOf(table, column)).toEqual(sorted(codesOf(codes)));
  });

  it('the index of wakes covers what counts as one', () => {
    expect(quoted(sqlOf('gateway_notifier_audit_wakes'))).toEqual(sorted(WAKES));
    const plan = db.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT poll_time_utc FROM gateway_notifier_audit WHERE ${sqlIs('outcome', WAKES)}
         AND poll_time_utc >= ? ORDER BY poll_time_utc DESC`,
      ['2026'],
    );
    expect(plan.map(({ detail }) => detail).join()).toContain('gateway_notifier_audit_wakes');
  });
});

describe.each(databases(import.meta.filename))('the lists of codes of the fleet on %s', (_, open) => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await open();
    sql = database.sql;
  });
  afterAll(() => database.close());

  it.each([
    ['requests', 'status', TICKET_STATUSES],
    ['requests', 'kind', TICKET_KINDS],
    ['a2a_queue', 'status', MESSAGE_STATUSES],
    ['a2a_queue', 'turn_state', MESSAGE_TURNS],
    ['workspaces', 'status', WORKSPACE_STATUSES],
  ])('%s.%s takes exactly the codes of its table', async (table, column, codes) => {
    const { rows } = await sql.query<{ said: string }>(
      `SELECT pg_get_constraintdef(c.oid) AS said FROM pg_constraint c
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND c.conkey = ARRAY[a.attnum]
       WHERE c.contype = 'c' AND c.conrelid = $1::regclass AND a.attname = $2`,
      [table, column],
    );
    const lists = rows.map(({ said }) => quoted(said)).filter((list) => list.length > 1);
    expect(lists).toEqual([sorted(codesOf(codes))]);
  });

  it.each([
    ['requests_inbox', OPEN_TICKETS],
    ['requests_org', OPEN_TICKETS],
    ['requests_outgoing_open', OPEN_TICKETS],
    ['requests_ended', CLOSED_TICKETS],
    ['requests_nudge_due', ['agent', ...NUDGED_TICKETS]],
    ['requests_nudge_agent', ['agent', ...NUDGED_TICKETS]],
    ['a2a_queue_ended', ENDED_MESSAGES],
    ['a2a_queue_dead', DEAD_MESSAGES],
    ['a2a_queue_dead_everywhere', DEAD_MESSAGES],
    ['a2a_queue_active_key', TRAVELLING_MESSAGES],
    ['a2a_queue_turns', TURNS_GOING_ON],
    ['workspaces_alive', ALIVE_WORKSPACES],
  ])('the index %s covers what its table says', async (index, codes) => {
    const { rows } = await sql.query<{ said: string }>(
      'SELECT pg_get_expr(indpred, indrelid) AS said FROM pg_index WHERE indexrelid = $1::regclass',
      [index],
    );
    expect(quoted(rows[0]!.said)).toEqual(sorted(codes));
  });
});
