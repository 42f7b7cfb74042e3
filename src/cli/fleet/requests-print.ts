import { fromNow } from '../../domain/index.ts';
import type {
  InboxRequest,
  InboxRequestEvent,
  InboxRequestList,
  InboxRequestMessage,
  InboxRequestThread,
} from '../../wire/index.ts';
import { type Column, keyValues, show, table } from '../print/table.ts';

type Side = 'requester' | 'recipient';

/** `agent ben`, `user carl`, `anybody`. */
function party(row: InboxRequest, side: Side): string {
  const name = row[`${side}_name`] ?? row[`${side}_id`];
  if (name === '') return 'anybody';
  return row[`${side}_type`] === 'agent' ? `agent ${name}` : name;
}

const column = (
  title: string,
  value: Column<InboxRequest>['value'],
  more: object = {},
): Column<InboxRequest> => ({
  title,
  value,
  ...more,
});

/** The requests of one page, the number of open ones, and how to see the next page. */
export function ticketTable(list: InboxRequestList, sides: Side[], now: number): string {
  const { requests, total_open: open, next_cursor: cursor } = list;
  const summary = `${open} open`;
  if (requests.length === 0) return `Nothing here (${summary}).`;
  const rows = table(requests, [
    column('id', (row) => row.id),
    column('pri', (row) => row.priority, { right: true }),
    column('kind', (row) => row.kind),
    column('status', (row) => row.status),
    ...sides.map((side) =>
      column(side === 'requester' ? 'from' : 'to', (row) => party(row, side), { max: 24 }),
    ),
    column('asked', (row) => fromNow(row.created_at, now)),
    column('title', (row) => row.title, { max: 60 }),
  ]);
  return [rows, '', cursor ? `${summary}; more with --cursor ${cursor}` : summary].join('\n');
}

export function threadText(
  { request, messages, earlier_cursor: earlier }: InboxRequestThread,
  now: number,
): string {
  const facts = keyValues({
    id: request.id,
    kind: request.kind,
    title: request.title,
    from: party(request, 'requester'),
    to: party(request, 'recipient'),
    status: statusWords(request),
    priority: request.priority,
    asked: fromNow(request.created_at, now),
    ...(request.responded_at && {
      closed: `${fromNow(request.responded_at, now)} by ${request.responder_type} ${request.responder_id}`,
    }),
  });
  return [
    facts,
    ...(request.detail === null ? [] : ['', paragraphs(request.detail)]),
    ...(earlier ? ['', `(earlier messages: --cursor ${earlier})`] : []),
    ...messages.flatMap((message) => ['', messageText(message, now)]),
  ].join('\n');
}

function statusWords({ status, turn, responded_at: closed }: InboxRequest): string {
  return closed ? status : `${status}, the ${turn} is to act`;
}

function messageText(message: InboxRequestMessage, now: number): string {
  const who = message.author_name ?? message.author_id;
  const head = `— ${show(who)}, ${fromNow(message.created_at, now)}${message.closing ? ', closing' : ''}`;
  return `${head}\n${paragraphs(message.body)}`;
}

/** Text from outside: its lines are kept, control characters are not. */
const paragraphs = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${show(line.replaceAll('\t', '  '))}`))
    .join('\n');

export function eventLine(event: InboxRequestEvent): string {
  const change =
    event.from_status === event.to_status
      ? event.to_status
      : `${event.from_status ?? 'new'} → ${event.to_status}`;
  return [
    event.at,
    event.type,
    event.request_id,
    change,
    `by ${event.actor_type} ${show(event.actor_id)}`,
  ].join('  ');
}
