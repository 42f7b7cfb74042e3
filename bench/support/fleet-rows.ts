import { migrate, openPostgres, type Sql } from '../../src/db/index.ts';
import { ensureOrg, FLEET_MIGRATIONS } from '../../src/fleet/index.ts';

/** An agent's token is derived from its number, because rows are created in the database by the hundred thousand. */
export const tokenOf = (n: number | string): string => `rouse_${String(n).padStart(43, 'x')}`;
export const PERSON = tokenOf('ana');
export const sessionOf = (n: number): string => `session-${n}`;

/** Ascending, as ids by time are, so building indexes costs what it really costs. */
const idOf = (prefix: string, n: string): string => `('${prefix}' || lpad(to_hex(${n}), 12, '0'))::uuid`;
const AGENT = '01900000-0000-7000-8000-';
const MESSAGE = '01900000-0000-7000-9000-';
const REQUEST = '01900000-0000-7000-a000-';

export const workspaceOf = (n: number): string => `${AGENT}${n.toString(16).padStart(12, '0')}`;

export interface FleetRows {
  sql: Sql;
  orgId: string;
  /** The number of agents. */
  agents: number;
}

/** An org with a person who may send, and registered agents without a heartbeat so far. */
export async function openFleet(url: string, agents: number): Promise<FleetRows> {
  const sql = await openPostgres({ url, maxConnections: 1, statementTimeoutMs: 1_200_000 });
  await migrate(sql, FLEET_MIGRATIONS);
  const { id: orgId } = await ensureOrg(sql, 'default');
  await sql.query(
    `INSERT INTO workspaces (id, org_id, agent_id, name, session_id)
     SELECT ${idOf(AGENT, 'n')}, $1, 'agent-' || n, 'agent-' || n, 'session-' || n FROM generate_series(1, $2::int) n`,
    [orgId, agents],
  );
  await sql.query(
    `INSERT INTO tokens (id, kind, org_id, workspace_id, subject, token_hash, prefix)
     SELECT gen_random_uuid(), 'agent', $1::uuid, ${idOf(AGENT, 'n')}, 'agent-' || n,
       sha256(convert_to('rouse_' || lpad(n::text, 43, 'x'), 'UTF8')), 'rouse_' FROM generate_series(1, $2::int) n
     UNION ALL SELECT gen_random_uuid(), 'admin', $1::uuid, NULL, 'ana',
       sha256(convert_to('rouse_' || lpad('ana', 43, 'x'), 'UTF8')), 'rouse_'`,
    [orgId, agents],
  );
  return { sql, orgId, agents };
}

export interface Past {
  requests: number;
  messages: number;
  /** The number of agents over which the requests and messages are distributed. */
  agents: number;
}

/** One of a hundred requests and messages was dropped or is open; the others ended well, over the last six days. */
export async function addPast({ sql, orgId }: FleetRows, from: Past, to: Past): Promise<void> {
  await sql.query(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
       recipient_workspace_id, title, detail, status, created_at, last_nudged_at)
     SELECT ${idOf(REQUEST, 'n')}, $1, 'task', CASE WHEN n % 2 = 0 THEN 'user' ELSE 'agent' END,
       CASE WHEN n % 2 = 0 THEN 'ana' ELSE ${idOf(AGENT, '(n % $4::int + 1)')}::text END, 'agent',
       ${idOf(AGENT, '(n / 7 % $4::int + 1)')}::text, ${idOf(AGENT, '(n / 7 % $4::int + 1)')},
       'Please look at item ' || n, repeat('detail ', 15),
       (ARRAY['done', 'approved', 'rejected', 'cancelled'])[n % 4 + 1],
       now() - make_interval(secs => 518400.0 * n / $3::int), now() - interval '7 days'
       FROM generate_series($2::int + 1, $3::int) n`,
    [orgId, from.requests, to.requests, to.agents],
  );
  await sql.query(
    `INSERT INTO a2a_queue (id, org_id, workspace_id, caller_user, kind, context_id, body, method, enqueued_at,
       dispatched_at, completed_at, attempts, status, claimed_by, gateway_request_id, outcome, outcome_at, turn_state, turn_at)
     SELECT ${idOf(MESSAGE, 'n')}, $1, ${idOf(AGENT, '(n % $4::int + 1)')}, 'ana', NULL, 'context-' || n % 1000,
       jsonb_build_object('method', 'message/send', 'params', jsonb_build_object('message', jsonb_build_object(
         'messageId', n, 'parts', jsonb_build_array(jsonb_build_object('text', 'Please look at item ' || n))))),
       'message/send', at, at, at, 1, CASE WHEN n % 100000 = 0 THEN 'dropped' ELSE 'completed' END, 'session', 'gwreq-' || n,
       'submitted', at, 'finished', at
       FROM (SELECT n, now() - make_interval(secs => 518400.0 * n / $3::int) AS at
               FROM generate_series($2::int + 1, $3::int) n) made`,
    [orgId, from.messages, to.messages, to.agents],
  );
  await sql.exec('VACUUM (ANALYZE)');
}

/** Adds requests that wait for their agents, some of them due for a nudge. */
export async function addOpen({ sql, orgId }: FleetRows, count: number, agents: number): Promise<void> {
  await sql.query(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
       recipient_workspace_id, title, created_at)
     SELECT gen_random_uuid(), $1, 'task', 'user', 'ana', 'agent', ${idOf(AGENT, '(n % $3::int + 1)')}::text,
       ${idOf(AGENT, '(n % $3::int + 1)')}, 'Please look at item ' || n, now() - make_interval(mins => 1 + n % 100)
       FROM generate_series(1, $2::int) n`,
    [orgId, count, agents],
  );
}
