import { utcSeconds } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import {
  ARCHIVE,
  DEAD_MESSAGES,
  EXPECTS_ANSWER_HEADER,
  expectedAnswer,
  OPEN_TICKETS,
  sqlList,
  WAIT_ENDS_MS,
  type WaitEdge,
  waitEndsMs,
} from '../../domain/index.ts';

/** A wait between two agents of an org, or between an agent and its people. */
export interface FleetWait extends WaitEdge {
  /** Their mailboxes on this server, if they have one. */
  mailboxes: number[];
}

interface Row {
  waiter: string;
  whom: string;
  waiter_name: string;
  whom_name: string;
  ref: string;
  subject: string;
  since: Date;
  expects: string | null;
  mailboxes: (number | null)[];
}

/** More than this are not shown: the page could not either. */
const MAX_WAITS = 10_000;

const MAILBOX_OF = (workspace: string): string =>
  `(SELECT mb.id FROM mailboxes mb WHERE mb.workspace_id = ${workspace} AND mb.active)`;

/** The one whose turn it is, is waited for. */
const REQUESTS = `
  SELECT a.id::text AS waiter, b.id::text AS whom, a.name AS waiter_name, b.name AS whom_name, r.id::text AS ref,
      r.title AS subject, r.updated_at AS since, NULL AS expects, ARRAY[${MAILBOX_OF('a.id')}, ${MAILBOX_OF('b.id')}] AS mailboxes
    FROM (SELECT *, CASE WHEN requester_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN requester_id::uuid END AS asker
        FROM requests WHERE org_id = $1::uuid AND requester_type = 'agent' AND recipient_type = 'agent'
          AND status IN ${sqlList(OPEN_TICKETS)}) r
    JOIN workspaces a ON a.id = CASE turn WHEN 'recipient' THEN asker ELSE recipient_workspace_id END
    JOIN workspaces b ON b.id = CASE turn WHEN 'recipient' THEN recipient_workspace_id ELSE asker END
   WHERE a.id <> b.id ORDER BY r.updated_at LIMIT ${MAX_WAITS}`;

/** A task whose end was not reported yet. */
const TASKS = `
  SELECT a.id::text AS waiter, b.id::text AS whom, a.name AS waiter_name, b.name AS whom_name, q.id::text AS ref,
      'a task' AS subject, q.enqueued_at AS since, NULL AS expects, ARRAY[${MAILBOX_OF('a.id')}, ${MAILBOX_OF('b.id')}] AS mailboxes
    FROM a2a_queue q JOIN workspaces a ON a.id = q.caller_id JOIN workspaces b ON b.id = q.workspace_id
   WHERE q.org_id = $1::uuid AND q.context_id IS NOT NULL AND a.id <> b.id
     AND q.outcome IS NULL AND q.status NOT IN ${sqlList(DEAD_MESSAGES)}
     AND q.enqueued_at > now() - make_interval(secs => ${WAIT_ENDS_MS / 1000}) AND (q.expires_at IS NULL OR q.expires_at > now())
   ORDER BY q.enqueued_at LIMIT ${MAX_WAITS}`;

const NODE = (mailbox: string): string =>
  `coalesce(${mailbox}.workspace_id::text, 'mailbox ' || ${mailbox}.id)`;

const MAIL = `
  SELECT ${NODE('f')} AS waiter, ${NODE('t')} AS whom, split_part(f.address, '@', 1) AS waiter_name,
      split_part(t.address, '@', 1) AS whom_name, 'fleet:' || m.message_id AS ref, m.envelope->>'subject' AS subject,
      m.sent_at AS since, m.envelope->'headers'->>'${EXPECTS_ANSWER_HEADER}' AS expects, ARRAY[f.id, t.id] AS mailboxes
    FROM mail_messages m JOIN mailboxes f ON f.id = m.sender AND f.retired_at IS NULL
    JOIN mail_state s ON s.seq = m.seq AND s.mailbox_id <> m.sender AND NOT s.is_answered AND s.box <> '${ARCHIVE}'
    JOIN mailboxes t ON t.id = s.mailbox_id AND t.retired_at IS NULL
   WHERE m.org_id = $1::uuid AND m.envelope->'headers'->>'${EXPECTS_ANSWER_HEADER}' IS NOT NULL
     AND EXISTS (SELECT FROM jsonb_array_elements(m.envelope->'to') one WHERE one->>'address' = t.address)
     AND NOT EXISTS (SELECT FROM mail_state own WHERE own.seq = m.seq AND own.mailbox_id = m.sender AND own.box = '${ARCHIVE}')
   ORDER BY m.seq LIMIT ${MAX_WAITS}`;

const KINDS = { request: REQUESTS, task: TASKS, mail: MAIL } as const;

/** Who waits for whom in an org: requests, tasks and mail, the oldest first. */
export async function listFleetWaits(sql: Sql, orgId: string, now: Date): Promise<FleetWait[]> {
  const found: FleetWait[] = [];
  for (const kind of ['request', 'task', 'mail'] as const) {
    const { rows } = await sql.query<Row>(KINDS[kind], [orgId]);
    found.push(...rows.map((row) => waitOf(kind, row)));
  }
  return found
    .filter((wait) => wait.kind !== 'mail' || waitEndsMs(wait) > now.getTime())
    .sort((a, b) => (a.since_utc < b.since_utc ? -1 : a.since_utc > b.since_utc ? 1 : 0));
}

function waitOf(kind: FleetWait['kind'], { since, expects, mailboxes, ...row }: Row): FleetWait {
  const { answer_by = null } = expects === null ? {} : expectedAnswer({ [EXPECTS_ANSWER_HEADER]: expects });
  return {
    ...row,
    kind,
    since_utc: utcSeconds(since),
    by_utc: answer_by,
    mailboxes: mailboxes.filter((id) => id !== null).map(Number),
  };
}

export const withoutMailboxes = ({ mailboxes: _, ...wait }: FleetWait): WaitEdge => wait;
