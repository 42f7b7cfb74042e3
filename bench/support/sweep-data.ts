import { migrate, openPostgres, type Sql } from '../../src/db/index.ts';
import { ensureOrg, FLEET_MIGRATIONS } from '../../src/fleet/index.ts';

export const AGENTS = 5000;
export const ELIGIBLE = 10_000;
/** Open requests that are not due: their agents are busy or away, they are too young or were announced within the hour, or they belong to people. */
export const OPEN_ELSEWHERE = 40_000;
export const MALFORMED = 100;

/** `mixed`: undeliverable requests are as old as the others. `backlog`: they are older than all deliverable ones. */
export type Shape = 'mixed' | 'backlog';

/** Agents 1..3000 idle, ..4000 busy, ..5000 away. One row per n. */
const ROW = (place: { agent: string; status: string; age: string; nudged: string }): string => `
  SELECT md5(n || $2)::uuid, $1::uuid, 'task', 'user', 'ana', 'agent', md5('agent' || ${place.agent})::uuid::text,
    md5('agent' || ${place.agent})::uuid, 'Please look at item ' || n, repeat('detail ', 15), ${place.status},
    now() - make_interval(mins => ${place.age}), ${place.nudged} FROM generate_series(1, $3::int) n`;

const COLUMNS = `id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, recipient_workspace_id,
  title, detail, status, created_at, last_nudged_at`;

/** An empty fleet of 5000 agents, and the tables with the indexes of the specification's own project. */
export async function openFleet(url: string): Promise<{ sql: Sql; orgId: string }> {
  const sql = await openPostgres({ url, maxConnections: 1, statementTimeoutMs: 600_000 });
  await migrate(sql, FLEET_MIGRATIONS);
  const { id: orgId } = await ensureOrg(sql, 'default');
  await sql.query(
    `INSERT INTO workspaces (id, org_id, agent_id, name, status, active_tasks)
     SELECT md5('agent' || n)::uuid, $1, 'agent-' || n, 'agent-' || n, CASE WHEN n > 4000 THEN 'offline' ELSE 'online' END,
       CASE WHEN n BETWEEN 3001 AND 4000 THEN 1 ELSE 0 END FROM generate_series(1, ${AGENTS}) n`,
    [orgId],
  );
  await sql.exec(`
    CREATE SCHEMA specified;
    CREATE TABLE specified.requests (LIKE public.requests INCLUDING DEFAULTS);
    ALTER TABLE specified.requests ADD PRIMARY KEY (id);
    CREATE INDEX ON specified.requests (recipient_type, recipient_id, status, created_at DESC);
    CREATE INDEX ON specified.requests (org_id, status, created_at DESC);
    CREATE INDEX ON specified.requests (requester_type, requester_id, created_at DESC);
    CREATE INDEX ON specified.requests (recipient_type, status, recipient_id, last_nudged_at);`);
  return { sql, orgId };
}

/** Adds all open requests. The malformed rows are only in our table: the specified query would stop at them. */
export async function addOpen(sql: Sql, orgId: string, shape: Shape): Promise<void> {
  const older = shape === 'backlog' ? '5000' : '20';
  const add = (name: string, count: number, place: Parameters<typeof ROW>[0]): Promise<unknown> =>
    sql.query(`INSERT INTO requests (${COLUMNS}) ${ROW(place)}`, [orgId, `${shape}-${name}`, count]);
  const again = (other: string): string =>
    `CASE WHEN n % 2 = 0 THEN now() - make_interval(mins => ${other}) END`;
  await add('eligible', ELIGIBLE, {
    agent: '(n % 3000 + 1)',
    status: `CASE WHEN n % 5 = 0 THEN 'info_requested' ELSE 'pending' END`,
    age: '100 + n * 7919 % 2999',
    nudged: again('61 + n * 7919 % 2999'),
  });
  await add('held', OPEN_ELSEWHERE / 2, {
    agent: '(n % 2000 + 3001)',
    status: `'pending'`,
    age: `${older} + n * 7919 % 2999`,
    nudged: 'NULL',
  });
  await add('not-yet', OPEN_ELSEWHERE / 2, {
    agent: '(n % 3000 + 1)',
    status: `'pending'`,
    age: 'CASE WHEN n % 2 = 0 THEN 2000 ELSE n % 9 END',
    nudged: again('n % 58'),
  });
  await copy(sql);
  await sql.query(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, title, created_at)
     SELECT gen_random_uuid(), $1, 'task', 'user', 'ana', 'agent', 'unknown-' || n, 't', now() - interval '1 day'
       FROM generate_series(1, ${MALFORMED}) n`,
    [orgId],
  );
}

export async function addFinished(sql: Sql, orgId: string, from: number, to: number): Promise<void> {
  await sql.query(
    `INSERT INTO requests (${COLUMNS}) ${ROW({
      agent: `(n % ${AGENTS} + 1)`,
      status: `(ARRAY['done', 'approved', 'rejected', 'cancelled'])[n % 4 + 1]`,
      age: '100 + n % 100000',
      nudged: 'CASE WHEN n % 3 = 0 THEN now() - make_interval(mins => 90 + n % 1000) END',
    })}`,
    [orgId, `finished-${from}`, to - from],
  );
  await copy(sql);
}

/** Copies the well-formed rows to the other table, and analyses and vacuums both. */
async function copy(sql: Sql): Promise<void> {
  await sql.exec(`INSERT INTO specified.requests SELECT * FROM public.requests r
    WHERE recipient_workspace_id IS NOT NULL ON CONFLICT DO NOTHING`);
  await sql.exec('VACUUM (ANALYZE) public.requests');
  await sql.exec('VACUUM (ANALYZE) specified.requests');
  await sql.exec('VACUUM (ANALYZE) workspaces');
}

/** Entries that scans of tables and indexes returned since the database was created. */
export async function rowsRead(sql: Sql): Promise<number> {
  await sql.query('SELECT pg_stat_force_next_flush()');
  const { rows } = await sql.query<{ read: number }>(
    `SELECT ((SELECT sum(seq_tup_read) FROM pg_stat_user_tables) +
             (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes))::bigint AS read`,
  );
  return rows[0]!.read;
}
