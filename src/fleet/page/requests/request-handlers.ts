import { commandLine, forbidden, isRouseError, notFound } from '../../../base/index.ts';
import type { Sql, SqlValue } from '../../../db/index.ts';
import {
  answersOf,
  isOpenTicket,
  OPEN_TICKETS,
  sqlList,
  TICKET_ANSWERS,
  UNANSWERED_TICKETS,
} from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import {
  type InboxRequest,
  type PAGE_ROUTES,
  type PageRequestList,
  type PageRequestRow,
  refusal,
} from '../../../wire/index.ts';
import type { PersonIdentity } from '../../identity/index.ts';
import {
  addMessage,
  cancelTicket,
  createTicket,
  getThread,
  pageOfTickets,
  respondTicket,
} from '../../tickets/index.ts';
import type { Doing } from '../doing.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { Session } from '../door/page-sessions.ts';

type RequestRoutes = Pick<
  typeof PAGE_ROUTES,
  | 'page.requests'
  | 'page.request'
  | 'page.request.create'
  | 'page.request.respond'
  | 'page.request.message'
  | 'page.request.cancel'
>;

export interface RequestHandlerParts {
  door: PageDoor;
  doing: Doing;
  sql: Sql;
  enqueue: Parameters<typeof respondTicket>[1];
}

/** Over `requests r`; `$1` is the name of the person. */
const OPEN = `r.status IN ${sqlList(OPEN_TICKETS)}`;
const TO_PEOPLE = `${OPEN} AND r.recipient_type = 'user'`;
const CONDITIONS: Readonly<Record<keyof PageRequestList['counts'], string>> = {
  for_me: `${TO_PEOPLE} AND r.recipient_id IN ('', $1::text)`,
  mine: `${TO_PEOPLE} AND r.recipient_id = $1::text`,
  anyone: `${TO_PEOPLE} AND r.recipient_id = ''`,
  others: `${TO_PEOPLE} AND r.recipient_id NOT IN ('', $1::text)`,
  waiting: `${OPEN} AND r.recipient_type <> 'user'`,
  answered: `r.status IN ${sqlList(TICKET_ANSWERS)}`,
  expired: `r.status IN ${sqlList(UNANSWERED_TICKETS)}`,
};
const ASKED = { me: 'mine', anyone: 'anyone', others: 'others' } as const;

/**
 * A session with the right to operate acts for the whole server; one with the right to answer answers what people are
 * asked.
 */
const personOf = ({ name, rights }: Session): PersonIdentity => ({
  kind: rights.includes('operate') ? 'admin' : 'user',
  tokenId: 'page',
  orgId: null,
  userId: name,
  grants: [],
});

export function requestHandlers(on: RequestHandlerParts): Handlers<RequestRoutes> {
  return { ...reading(on), ...asking(on), ...answering(on) };
}

type Call<K extends keyof RequestRoutes> = Parameters<Handlers<RequestRoutes>[K]>[0];

function reading({ door, sql }: RequestHandlerParts) {
  return {
    'page.requests': async ({ context, query }: Call<'page.requests'>) => {
      const { name } = door.require(context);
      const { view, of, agent, cursor, limit } = query();
      const open = view === 'for_me' || view === 'waiting';
      const { rows, next } = await pageOfTickets(sql, {
        condition: `$1::text IS NOT NULL AND ${CONDITIONS[view === 'for_me' && of ? ASKED[of] : view]}`,
        params: [name],
        agent,
        cursor,
        limit,
        oldestFirst: open,
      });
      return {
        requests: rows.map(shown),
        counts: await counts(sql, name, agent),
        next_cursor: next,
        truncated: next !== null,
      };
    },
    'page.request': async ({ context, params }: Call<'page.request'>) => {
      const session = door.require(context);
      const reader: PersonIdentity = { ...personOf(session), kind: 'admin' };
      const { request, messages } = await getThread(sql, reader, { id: params.request_id, limit: 200 });
      const { rows } = await pageOfTickets(sql, {
        condition: 'r.id = $1',
        params: [request.id],
        limit: 1,
        oldestFirst: true,
      });
      return { request: shown(rows[0]!), messages, command: commandLine`rouse requests show ${request.id}` };
    },
  };
}

function asking({ door, doing, sql, enqueue }: RequestHandlerParts) {
  return {
    'page.request.create': async ({ context, body }: Call<'page.request.create'>) => {
      const session = door.require(context, 'answer');
      const { action_id: actionId, ...asked } = await body();
      const target = asked.recipient_id || asked.recipient_type;
      const act = { action: 'requests.create', target, actionId, asked, repeatable: true };
      return doing.receipt(session, { ...act, detail: { kind: asked.kind } }, async () => {
        const orgId = await orgOf(sql, session);
        const wanted = { ...asked, orgId, idempotency_key: actionId };
        const { row } = await createTicket(sql, enqueue, { caller: personOf(session), wanted });
        const who = asked.recipient_id || (asked.recipient_type === 'user' ? 'anyone' : 'the agent');
        return {
          sentence: `Asked ${who}: ${row.title}`,
          command: commandLine`rouse requests show ${row.id}`,
        };
      });
    },
  };
}

async function orgOf(sql: Sql, { org }: Session): Promise<string> {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM orgs WHERE name = $1', [org]);
  if (rows[0]) return rows[0].id;
  throw notFound(`this server has no org ${org}`, {
    hint: 'register an agent first, or name another org: --org',
  });
}

function answering({ door, doing, sql, enqueue }: RequestHandlerParts) {
  return {
    'page.request.respond': async ({ context, params, body }: Call<'page.request.respond'>) => {
      const session = door.require(context, 'answer');
      const { action_id: actionId, action, note } = await body();
      const id = params.request_id;
      const act = {
        action: 'requests.respond',
        target: id,
        actionId,
        asked: { action, note },
        repeatable: true,
      };
      return doing.receipt(session, { ...act, detail: { answer: action } }, async () => {
        await requireItsOrg(sql, session, id);
        const row = await firstToAnswer(() =>
          respondTicket(sql, enqueue, { caller: personOf(session), id, action, note }),
        );
        return {
          sentence: `Answered: ${row.status}; ${row.requester_name ?? 'the requester'} is notified.`,
          command: commandLine`rouse requests respond ${id} ${action}`,
        };
      });
    },
    'page.request.message': async ({ context, params, body }: Call<'page.request.message'>) => {
      const session = door.require(context, 'answer');
      const { action_id: actionId, body: text } = await body();
      const id = params.request_id;
      const act = { action: 'requests.message', target: id, actionId, asked: text, repeatable: false };
      return doing.receipt(session, { ...act, detail: { characters: text.length } }, async () => {
        await requireItsOrg(sql, session, id);
        const { row } = await firstToAnswer(() =>
          addMessage(sql, enqueue, { caller: personOf(session), id, body: text }),
        );
        return {
          sentence: `Asked back: ${row.requester_name ?? 'the requester'} is notified.`,
          command:
            text.length > MAX_COMMAND_LENGTH
              ? null
              : commandLine`rouse requests message ${id} --body ${text}`,
        };
      });
    },
    'page.request.cancel': async ({ context, params, body }: Call<'page.request.cancel'>) => {
      const session = door.require(context, 'operate');
      const { action_id: actionId } = await body();
      const id = params.request_id;
      const act = { action: 'requests.cancel', target: id, actionId, asked: id, repeatable: true };
      return doing.receipt(session, act, async () => {
        await firstToAnswer(() => cancelTicket(sql, enqueue, { caller: personOf(session), id }));
        return {
          sentence: 'Withdrawn; the recipient is notified.',
          command: commandLine`rouse requests cancel ${id}`,
        };
      });
    },
  };
}

/** A longer text is in the thread but is not offered for copying. */
const MAX_COMMAND_LENGTH = 600;

/** Names belong to one org: the same name in another org is another person. */
async function requireItsOrg(sql: Sql, { org, rights }: Session, id: string): Promise<void> {
  if (rights.includes('operate')) return;
  const { rows } = await sql.query<{ name: string }>(
    'SELECT o.name FROM requests r JOIN orgs o ON o.id = r.org_id WHERE r.id::text = $1',
    [id.toLowerCase()],
  );
  const asked = rows[0]?.name ?? org;
  if (asked === org) return;
  throw forbidden(`this link answers requests of org ${org}, and this one is of ${asked}`, {
    hint: 'the owner of the server makes a link for another org: rouse dashboard --link --role answer --org ORG',
  });
}

/** Of two answers one wins; the other learns whose. */
async function firstToAnswer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const known = isRouseError(error) ? (error.facts['request'] as InboxRequest | undefined) : undefined;
    if (!known?.responder_id) throw error;
    throw refusal('already_resolved', `already answered by ${known.responder_id}: ${known.status}`, {
      hint: 'it is closed; create a new one if you still need it',
      facts: { request: known },
    });
  }
}

type Ticket = Awaited<ReturnType<typeof pageOfTickets>>['rows'][number];

function shown({ nudge_count, escalated_at, ...request }: Ticket): PageRequestRow {
  const open = isOpenTicket(request.status);
  return {
    ...request,
    age_seconds: Math.max(0, Math.floor((Date.now() - Date.parse(request.created_at)) / 1000)),
    nudges: nudge_count,
    overdue: open && escalated_at !== null,
    answers: open && request.recipient_type === 'user' ? [...answersOf(request.kind)] : [],
    cancellable: open,
  };
}

async function counts(sql: Sql, name: string, agent: string | undefined): Promise<PageRequestList['counts']> {
  const params: SqlValue[] = agent === undefined ? [name] : [name, agent];
  const of = agent === undefined ? '' : `WHERE ${AGENT_IS('$2')}`;
  const columns = Object.entries(CONDITIONS).map(
    ([name, each]) => `(count(*) FILTER (WHERE ${each}))::int AS ${name}`,
  );
  const { rows } = await sql.query<PageRequestList['counts']>(
    `SELECT ${columns.join(', ')} FROM requests r ${of}`,
    params,
  );
  return rows[0]!;
}

const AGENT_IS = (parameter: string): string =>
  `EXISTS (SELECT 1 FROM workspaces w WHERE w.name = ${parameter} AND (w.id = r.recipient_workspace_id OR (r.requester_type = 'agent' AND w.id::text = r.requester_id)))`;
