import { commandLine } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { NeedKind, TicketKind } from '../../domain/index.ts';
import { requestLink } from '../links.ts';
import { nameOf, OPEN } from './ticket-row.ts';

/** An open request that a person should look at: it is for people, or its agent let the last reminder pass. */
export interface RequestForPeople {
  id: string;
  kind: TicketKind;
  title: string;
  requester: string | null;
  recipient: string | null;
  /** The person it is for; null: the one who looks after the agents. */
  person: string | null;
  need: Extract<NeedKind, 'request' | 'overdue'>;
  /** The agent that needs the person. */
  agent: string | null;
  /** 0 to 100, higher is more urgent. */
  priority: number;
  since: Date;
  command: string;
  href: string;
}

interface Row
  extends Pick<RequestForPeople, 'id' | 'kind' | 'title' | 'requester' | 'recipient' | 'priority'> {
  to_people: boolean;
  recipient_id: string;
  since: Date;
}

/** One page of them, the most urgent first, then the oldest. */
export async function requestsForPeople(sql: Sql, limit: number): Promise<RequestForPeople[]> {
  const { rows } = await sql.query<Row>(
    `SELECT r.id, r.kind, r.title, r.recipient_type = 'user' AS to_people, r.recipient_id,
            ${nameOf('r.requester_type', 'r.requester_id')} AS requester,
            ${nameOf('r.recipient_type', 'r.recipient_id')} AS recipient,
            coalesce(r.priority, 0)::int AS priority, coalesce(r.escalated_at, r.created_at) AS since
       FROM requests r
      WHERE r.status IN ${OPEN} AND (r.recipient_type = 'user' AND r.turn = 'recipient' OR r.escalated_at IS NOT NULL)
      ORDER BY coalesce(r.priority, 0) DESC, r.created_at, r.id LIMIT $1`,
    [limit],
  );
  return rows.map(({ to_people, recipient_id, ...row }) => ({
    ...row,
    person: to_people && recipient_id !== '' ? recipient_id : null,
    need: to_people ? 'request' : 'overdue',
    agent: to_people ? row.requester : row.recipient,
    command: commandLine`rouse requests show ${row.id}`,
    href: requestLink(row.id),
  }));
}
