import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

let fleet: TestFleet;
let sql: Sql;
beforeAll(async () => {
  fleet = await startFleet({
    config: { keeping: { messages: 7, deadLetters: 30, requests: 10, calls: 5 }, log: silentLog },
  });
  sql = fleet.sql;
});
afterAll(() => fleet.stop());

const run = (name: string) =>
  fleet.admin.call('admin.sweepers.run', { name }) as Promise<{ result?: Record<string, number> }>;

describe('retention', () => {
  it('retention deletes requests and calls that ended long ago, in batches, and never what is open or young', async () => {
    const { workspaceId } = await fleet.agent('ana');
    const make = (status: string, count: number, days: number) =>
      sql.query(
        `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, title, status,
             created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'task', 'user', 'ana', 'user', 'ben', 't', $2, now() - make_interval(days => $4),
             now() - make_interval(days => $4) FROM generate_series(1, $3::int)`,
        [fleet.orgId, status, count, days],
      );
    await make('done', 1200, 11);
    await make('cancelled', 3, 400);
    await make('done', 5, 9);
    await make('pending', 7, 400);
    await make('info_requested', 2, 400);
    await sql.query(
      `INSERT INTO request_events (request_id, org_id, type, actor_type, actor_id)
         SELECT id, org_id, 'REQUEST_CREATED', 'user', 'ana' FROM requests`,
    );
    await sql.query(
      `INSERT INTO gateway_calls (id, org_id, workspace_id, caller, method, path, made_at, expires_at)
         SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'user ana', 'GET', '/v1/status', now() - make_interval(days => d), now()
           FROM unnest(ARRAY[1, 4, 6, 50]) AS d`,
      [fleet.orgId, workspaceId],
    );
    const dry = await fleet.admin.call('admin.sweepers.run', { name: 'retention', dry_run: '1' });
    expect(dry).toMatchObject({ result: { requests: 500, gateway_calls: 2 } });
    expect(await run('retention')).toMatchObject({ result: { requests: 1203, gateway_calls: 2 } });
    const { rows } = await sql.query<{ status: string; n: number }>(
      'SELECT status, count(*)::int AS n FROM requests GROUP BY status ORDER BY status',
    );
    expect(rows).toEqual([
      { status: 'done', n: 5 },
      { status: 'info_requested', n: 2 },
      { status: 'pending', n: 7 },
    ]);
    const left = await sql.query<{ n: number }>('SELECT count(*)::int AS n FROM request_events');
    expect(left.rows).toEqual([{ n: 14 }]);
    expect(await run('retention')).toMatchObject({ result: { requests: 0, gateway_calls: 0 } });
  });
});
