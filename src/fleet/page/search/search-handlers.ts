import { messageOf, preview } from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import type { MailMessage } from '../../../domain/index.ts';
import type { Handlers } from '../../../http/index.ts';
import type { HostMail } from '../../../session/index.ts';
import type { PAGE_ROUTES, PageSearch } from '../../../wire/index.ts';
import { agentLink, mailLink, requestLink } from '../../links.ts';
import type { PageDoor } from '../door/page-door.ts';
import type { HostView } from '../host/host-view.ts';
import { parseQuery, type SearchQuery, understood } from './parse-query.ts';

type Hit = PageSearch['hits'][number];

export interface SearchParts {
  door: PageDoor;
  view: HostView;
  mail: HostMail;
  sql: Sql;
}

/** Max hits per kind; a narrower query finds the rest. */
const MAX_HITS = 200;

/** Searches agents, mailboxes, mail and requests on the server, whatever a page has loaded. */
export function searchHandlers(on: SearchParts): Handlers<Pick<typeof PAGE_ROUTES, 'page.search'>> {
  return {
    'page.search': async ({ context, query }) => {
      on.door.require(context);
      const { q, cursor, limit } = query();
      const wanted = parseQuery(q);
      const troubles: string[] = [];
      const trying = (what: string, work: Promise<Hit[]>): Promise<Hit[]> =>
        work.catch((error: unknown) => {
          troubles.push(`${what}: ${messageOf(error)}`);
          return [];
        });
      const found = (
        await Promise.all([
          trying('agents', agents(on, wanted)),
          trying('mailboxes', mailboxes(on, wanted)),
          trying('requests', requests(on, wanted)),
          trying('mail', messages(on, wanted)),
        ])
      ).flat();
      const from = cursor !== undefined && /^\d{1,6}$/.test(cursor) ? Number(cursor) : 0;
      const more = found.length > from + limit;
      return {
        hits: found.slice(from, from + limit),
        understood: understood(wanted),
        troubles,
        next_cursor: more ? String(from + limit) : null,
        truncated: more,
      };
    },
  };
}

const holds = (text: string, words: readonly string[]): boolean => {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word.toLowerCase()));
};
const isAny = (text: string, wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((each) => text.toLowerCase().includes(each));
const isWithin = (at: string, { before, after }: SearchQuery): boolean =>
  (before === undefined || at < before) && (after === undefined || at >= after);
const onlyMail = ({ from, to, before, after }: SearchQuery): boolean =>
  from.length + to.length > 0 || before !== undefined || after !== undefined;

async function agents({ view }: SearchParts, query: SearchQuery): Promise<Hit[]> {
  if (onlyMail(query)) return [];
  return (await view.agents())
    .filter((row) => isAny(`${row.state} ${row.state_words}`, query.state))
    .filter((row) =>
      holds(
        `${row.name} ${row.tool} ${row.host} ${row.address ?? ''} ${row.state_words} ${row.id}`,
        query.words,
      ),
    )
    .slice(0, MAX_HITS)
    .map((row) => ({
      kind: 'agent',
      key: row.id,
      title: row.name,
      detail: `${row.tool}, ${row.state_words}${row.here ? '' : `, on ${row.host}`}`,
      at_utc: row.state_since_utc,
      href: agentLink(row.name),
    }));
}

async function mailboxes({ mail }: SearchParts, query: SearchQuery): Promise<Hit[]> {
  if (onlyMail(query) || query.state.length > 0) return [];
  return (await mail.list()).mailboxes
    .filter(({ address, display_name }) => holds(`${address} ${display_name ?? ''}`, query.words))
    .slice(0, MAX_HITS)
    .map(({ id, address, unread, agent }) => ({
      kind: 'mailbox',
      key: id,
      title: address,
      detail: `${agent ? `mailbox of ${agent}` : 'mailbox'}${unread ? `, ${unread} unread` : ''}`,
      at_utc: null,
      href: mailLink(id),
    }));
}

interface Row {
  id: string;
  title: string;
  status: string;
  created_at: Date;
  requester: string | null;
  recipient: string | null;
}

async function requests({ sql }: SearchParts, query: SearchQuery): Promise<Hit[]> {
  const patterns = query.words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const { rows } = await sql.query<Row>(
    `SELECT * FROM (SELECT r.id, r.title, r.detail, r.status, r.created_at,
        CASE r.requester_type WHEN 'user' THEN r.requester_id ELSE (SELECT name FROM workspaces w WHERE w.id::text = r.requester_id) END AS requester,
        CASE r.recipient_type WHEN 'user' THEN nullif(r.recipient_id, '') ELSE (SELECT name FROM workspaces w WHERE w.id = r.recipient_workspace_id) END AS recipient
       FROM requests r) r
      WHERE (cardinality($1::text[]) = 0 OR (r.title || ' ' || coalesce(r.detail, '') || ' ' || r.id::text || ' ' || coalesce(r.requester, '') || ' ' || coalesce(r.recipient, '')) ILIKE ALL ($1::text[]))
        AND ($2::timestamptz IS NULL OR r.created_at < $2) AND ($3::timestamptz IS NULL OR r.created_at >= $3)
      ORDER BY r.created_at DESC LIMIT ${MAX_HITS}`,
    [patterns, query.before ?? null, query.after ?? null],
  );
  return rows
    .filter(
      ({ status, requester, recipient }) =>
        isAny(status, query.state) &&
        isAny(requester ?? '', query.from) &&
        isAny(recipient ?? 'people', query.to),
    )
    .map(({ id, title, status, created_at, requester, recipient }) => ({
      kind: 'request',
      key: id,
      title,
      detail: `${requester ?? 'someone'} → ${recipient ?? 'people'}, ${status}`,
      at_utc: created_at.toISOString(),
      href: requestLink(id),
    }));
}

/** Each message once, whichever mailboxes have it. */
async function messages({ mail }: SearchParts, query: SearchQuery): Promise<Hit[]> {
  const found = new Map<string, Hit>();
  const keep = (mailbox: string, message: MailMessage): void => {
    const { message_ref, subject, sender, to, created_at_utc, body_preview } = message;
    const states = `${message.read ? 'read' : 'unread'} ${message.answered ? 'answered' : ''} ${message.archived ? 'archived' : ''}`;
    if (found.has(message_ref) || !isWithin(created_at_utc, query) || !isAny(states, query.state)) return;
    if (!isAny(`${sender.address} ${sender.display_name ?? ''}`, query.from)) return;
    if (!isAny(to.map(({ address }) => address).join(' '), query.to)) return;
    found.set(message_ref, {
      kind: 'message',
      key: message_ref,
      title: subject,
      detail: `${sender.address} → ${to.map(({ address }) => address).join(', ')}: ${preview(body_preview, 100)}`,
      at_utc: created_at_utc,
      href: mailLink(mailbox, {
        ref: message_ref,
        ...(message.thread_ref && { thread: message.thread_ref }),
      }),
    });
  };
  const text = query.words.map((word) => (/\s/.test(word) ? `"${word}"` : `${word}*`)).join(' ');
  for (const { id, trouble } of (await mail.list()).mailboxes) {
    if (trouble !== null) continue;
    await mail.open(id, async (mailbox) => {
      if (text === '') {
        const page = await mailbox.list({ box: 'inbox', limit: MAX_HITS });
        for (const message of page.messages) keep(id, message);
      } else if (mailbox.capabilities.search) {
        for (const message of (await mailbox.search({ text, limit: MAX_HITS })).messages) keep(id, message);
      }
    });
  }
  return [...found.values()]
    .sort((a, b) => (b.at_utc ?? '').localeCompare(a.at_utc ?? ''))
    .slice(0, MAX_HITS);
}
