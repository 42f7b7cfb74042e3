import type { Sqlite, SqliteValue } from '../../../db/index.ts';
import {
  type ANSWERED_STATES,
  ARCHIVE,
  asParticipant,
  type MailMessage,
  type MailParticipant,
  makeMailRef,
  SENT,
  sinceStamp,
} from '../../../domain/index.ts';
import { FILESYSTEM } from '../binding.ts';
import type { Envelope } from '../message-rows.ts';
import { type ViewRow, viewMessage } from '../message-view.ts';
import type { Layout } from '../root/layout.ts';

/** Which mail is listed. A conversation is listed if one of its messages matches. */
export interface MailFilter {
  /** Only mail that a mailbox has in this box. */
  box: string | null;
  /** Only mail that a mailbox has not read yet. */
  unread: boolean;
  answered: (typeof ANSWERED_STATES)[number];
  /** A part of the sender's address or name. */
  from?: string | undefined;
  /** A part of a recipient's address or name. */
  to?: string | undefined;
  /** Not older than this time. */
  since?: string | undefined;
  /** Only mail with attachments. */
  files: boolean;
}

export interface ConversationQuery extends MailFilter {
  /** Only what this mailbox has; undefined: every mailbox. */
  mailbox: string | undefined;
  /** An FTS5 expression. */
  match: string | undefined;
  /** Before this number. */
  before: number;
  limit: number;
  /** If this mailbox has part of a conversation, it is shown as this mailbox has it. */
  first: string;
}

/** A thread as one mailbox has it. */
export interface Conversation {
  address: string;
  /** The newest message that matches. */
  message: MailMessage;
  /** How many messages the thread has, in all mailboxes. */
  count: number;
  /** How many of them this mailbox has not read. */
  unread: number;
  /** Everything this mailbox received of it is in its archive. */
  archived: boolean;
  /** Everyone who wrote or received it, in the order of appearance. */
  participants: MailParticipant[];
  /** The messages that sorting it changes, newest first: what this mailbox received, else what it sent. */
  refs: string[];
}

export interface ConversationPage {
  conversations: Conversation[];
  nextCursor: string | null;
}

/** Of a longer thread, only the newest messages are counted as unread, name people and are sorted. */
const MAX_READ = 200;
const MAX_PARTICIPANTS = 20;

const THREAD = "json_extract(m.envelope_json, '$.thread_id')";

/** Newest first. Each thread is listed once, at its newest message that matches. */
export function readConversations(db: Sqlite, layout: Layout, query: ConversationQuery): ConversationPage {
  const { found, held, holds, params } = matching(query);
  const later = (of: string) => holds.replaceAll(/\bm\./g, `${of}.`);
  const rows = db.all<{ seq: number; thread: string }>(
    `${found} SELECT m.seq, ${THREAD} AS thread FROM messages m
      WHERE m.seq < :before AND ${holds}
        AND NOT EXISTS (SELECT 1 FROM messages n WHERE ${THREAD.replace('m.', 'n.')} = ${THREAD}
          AND n.seq > m.seq AND ${later('n')})
      ORDER BY m.seq DESC LIMIT :limit`,
    { ...params, before: query.before, limit: query.limit + 1 },
  );
  const shown = rows.slice(0, query.limit);
  return {
    conversations: shown.map((row) => conversation(db, layout, { ...row, query, held })),
    nextCursor: rows.length > shown.length ? String(shown.at(-1)!.seq) : null,
  };
}

/** The condition on a message `m`, and what it needs. */
function matching(query: ConversationQuery) {
  const { mailbox, match, box, from, to, since } = query;
  const params: Record<string, SqliteValue> = {};
  const held = ['s.seq = m.seq', 's.is_deleted = 0', "r.status = 'active'"];
  if (mailbox !== undefined) held.push('r.address = :mailbox');
  if (mailbox !== undefined) params['mailbox'] = mailbox;
  if (box !== null) held.push('s.box = :box');
  if (box !== null) params['box'] = box;
  if (query.unread) held.push('s.is_read = 0');
  if (query.answered !== 'any') held.push(`s.is_answered = ${query.answered === 'answered' ? 1 : 0}`);
  const holds = [
    `EXISTS (SELECT 1 FROM mail_state s JOIN mailbox_registrations r ON r.number = s.registration WHERE ${held.join(' AND ')})`,
  ];
  if (match !== undefined) holds.push('m.seq IN found');
  if (match !== undefined) params['match'] = match;
  if (from !== undefined) holds.push(isNamed("json_extract(m.envelope_json, '$.from')", ':from'));
  if (from !== undefined) params['from'] = part(from);
  if (to !== undefined)
    holds.push(
      `EXISTS (SELECT 1 FROM (SELECT value FROM json_each(m.envelope_json, '$.to')
         UNION ALL SELECT value FROM json_each(m.envelope_json, '$.cc')) p WHERE ${isNamed('p.value', ':to')})`,
    );
  if (to !== undefined) params['to'] = part(to);
  if (since !== undefined) holds.push('m.created_at_utc >= :since');
  if (since !== undefined) params['since'] = sinceStamp(since);
  if (query.files) holds.push("json_array_length(m.envelope_json, '$.attachments') > 0");
  const found =
    match === undefined
      ? ''
      : 'WITH found AS MATERIALIZED (SELECT rowid FROM mail_search WHERE mail_search MATCH :match)';
  return { found, held: held.join(' AND '), holds: holds.join(' AND '), params };
}

const isNamed = (person: string, pattern: string): string =>
  `(json_extract(${person}, '$.address') LIKE ${pattern} ESCAPE '\\' OR json_extract(${person}, '$.display_name') LIKE ${pattern} ESCAPE '\\')`;

const part = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

interface Held extends Pick<ViewRow, 'seq' | 'box' | 'is_read'> {
  message_id: string;
  envelope_json: string;
}

interface Found {
  seq: number;
  thread: string;
  query: ConversationQuery;
  /** The condition on the state of the message in a mailbox. */
  held: string;
}

function conversation(db: Sqlite, layout: Layout, found: Found): Conversation {
  const { seq, thread } = found;
  const owner = ownerOf(db, found);
  const { count } = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM messages m WHERE ${THREAD} = ?`,
    [thread],
  )!;
  const all = db.all<Partial<Held> & Pick<Held, 'seq' | 'message_id' | 'envelope_json'>>(
    `SELECT m.seq, m.message_id, m.envelope_json, s.box, s.is_read FROM messages m
       LEFT JOIN mail_state s ON s.seq = m.seq AND s.registration = :owner AND s.is_deleted = 0
      WHERE ${THREAD} = :thread ORDER BY m.seq DESC LIMIT ${MAX_READ}`,
    { owner: owner.number, thread },
  );
  const held = all.filter((each): each is Held => each.box != null);
  const received = held.filter(({ box }) => box !== SENT);
  const row = db.get<ViewRow>(
    `SELECT m.seq, coalesce(s.box, 'sent') AS box, coalesce(s.is_read, 1) AS is_read,
       coalesce(s.is_answered, 0) AS is_answered, m.envelope_json, m.body_preview
     FROM messages m LEFT JOIN mail_state s ON s.seq = m.seq AND s.registration = ? AND s.is_deleted = 0
     WHERE m.seq = ?`,
    [owner.number, seq],
  )!;
  return {
    address: owner.address,
    message: viewMessage(layout, row),
    count,
    unread: held.filter(({ is_read }) => is_read === 0).length,
    archived: received.length > 0 && received.every(({ box }) => box === ARCHIVE),
    participants: participantsOf(all.map(({ envelope_json }) => JSON.parse(envelope_json) as Envelope)),
    refs: (received.length > 0 ? received : held).map(({ message_id }) =>
      makeMailRef(FILESYSTEM, message_id),
    ),
  };
}

interface Owner {
  number: number;
  address: string;
}

/**
 * The mailbox that shows it. Of those in which this message matches: `first`, else a recipient's. `first` shows the
 * whole thread if it has part of it and no state of a message was asked for.
 */
function ownerOf(db: Sqlite, { seq, thread, query, held }: Found): Owner {
  const { mailbox, box, unread, answered, first } = query;
  const matching = db.get<Owner>(
    `SELECT r.number, r.address FROM messages m JOIN mail_state s ON s.seq = m.seq
       JOIN mailbox_registrations r ON r.number = s.registration
      WHERE m.seq = :seq AND ${held}
      ORDER BY r.address = :first DESC, s.box = 'sent', s.box = 'archive', r.address LIMIT 1`,
    { seq, first, ...(mailbox !== undefined && { mailbox }), ...(box !== null && { box }) },
  )!;
  const isByState = mailbox !== undefined || box !== null || unread || answered !== 'any';
  if (isByState || matching.address === first) return matching;
  const own = db.get<Owner>(
    `SELECT r.number, r.address FROM mailbox_registrations r WHERE r.address = :first AND r.status = 'active'
       AND EXISTS (SELECT 1 FROM messages m JOIN mail_state s ON s.seq = m.seq AND s.registration = r.number
         AND s.is_deleted = 0 WHERE ${THREAD} = :thread)`,
    { first, thread },
  );
  return own ?? matching;
}

function participantsOf(newestFirst: readonly Envelope[]): MailParticipant[] {
  const found = new Map<string, MailParticipant>();
  const people = newestFirst.toReversed().flatMap(({ from, to, cc }) => [from, ...to, ...cc]);
  for (const each of people) if (!found.has(each.address)) found.set(each.address, asParticipant(each));
  return [...found.values()].slice(0, MAX_PARTICIPANTS);
}
