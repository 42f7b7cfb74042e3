import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  PageAgent,
  PageDay,
  PageHealth,
  PageLanes,
  PageLedger,
  PageMailboxes,
  PageMailList,
  PageMailReceipts,
  PageMessage,
  PageNextTimes,
  PageReminders,
  PageRequest,
  PageRequestList,
  PageRequestsView,
  PageSearch,
  PageThread,
  PageTimeline,
  PageVisit,
  PageWaits,
  ReminderSet,
} from '../../wire/index.ts';
import { askShown as ask } from '../model/ask-together.ts';

/** Every query besides the picture. Keys start with the kind and the agent (see query-client.ts). */
export const agentAt = (name: string): string => `agents/${encodeURIComponent(name)}`;

/** With the queue only where it is shown: it changes often. */
export const factsOf = (name: string, withQueue: boolean) =>
  queryOptions({
    queryKey: ['facts', name, withQueue],
    queryFn: ({ signal }) =>
      ask<PageAgent>(agentAt(name), { signal, query: { queue: withQueue ? 'true' : undefined } }),
    placeholderData: keepPreviousData,
  });

/** With `at`: what was until then. */
export const timelineOf = (name: string, kinds: string, at = '') =>
  infiniteQueryOptions({
    queryKey: ['timeline', name, kinds, at],
    queryFn: ({ signal, pageParam }) =>
      ask<PageTimeline>(`${agentAt(name)}/timeline`, { signal, query: { kinds, before: pageParam } }),
    initialPageParam: at && `${at} ~`,
    getNextPageParam: ({ next }) => next ?? undefined,
  });

export const ledgerOf = (name: string, ref: string) =>
  queryOptions({
    queryKey: ['ledger', name, ref],
    queryFn: ({ signal }) =>
      ask<PageLedger>(`${agentAt(name)}/ledger/${encodeURIComponent(ref)}`, { signal }),
    meta: { isOver: isLedgerOver },
  });

/** Whether the ledger is complete. */
const isLedgerOver = ({ outcome, trouble, stages }: PageLedger): boolean =>
  outcome !== null && (trouble || stages.some(({ stage }) => stage === 'turn_finished'));

/** Not touched by each change: the view asks again once there is something to draw. */
export const lanesOf = (wanted: { minutes: number; to: string | undefined; cells: number }) =>
  queryOptions({
    queryKey: ['lanes', null, wanted],
    queryFn: ({ signal }) => ask<PageLanes>('lanes', { signal, query: wanted }),
    placeholderData: keepPreviousData,
  });

/** A report is of the moment it was made. */
export const dayBetween = (from: string, to: string | undefined) =>
  queryOptions({
    queryKey: ['day', null, from, to],
    queryFn: ({ signal }) => ask<PageDay>('day', { signal, query: { from, to } }),
  });

export const askMarkdown = (from: string, to: string | undefined): Promise<PageDay> =>
  ask<PageDay>('day', {
    query: { from, to, markdown: 'true', time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone },
  });

/** Asked once: it changes by this person's own visits only. */
export const visitBefore = queryOptions({
  queryKey: ['visit', null],
  queryFn: ({ signal }) => ask<PageVisit>('visit', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const healthSince = (hours: number) =>
  queryOptions({
    queryKey: ['health', null, hours],
    queryFn: ({ signal }) => ask<PageHealth>('health', { signal, query: { hours } }),
    placeholderData: keepPreviousData,
  });

export const allWaits = queryOptions({
  queryKey: ['waits', null],
  queryFn: ({ signal }) => ask<PageWaits>('waits', { signal }),
});

export const remindersOf = (name: string) =>
  queryOptions({
    queryKey: ['reminders', name],
    queryFn: ({ signal }) => ask<ReminderSet>(`${agentAt(name)}/reminders`, { signal }),
  });

export const allReminders = queryOptions({
  queryKey: ['reminders', null],
  queryFn: ({ signal }) => ask<PageReminders>('reminders', { signal }),
});

/** The next times of a schedule that is not stored yet. */
export const nextTimesOf = (cron: string, zone: string) =>
  queryOptions({
    queryKey: ['next times', null, cron, zone],
    queryFn: ({ signal }) =>
      ask<PageNextTimes>('reminders/next', { signal, query: { cron, time_zone: zone } }),
    enabled: cron.split(/\s+/).length >= 5,
  });

export const mailboxes = queryOptions({
  queryKey: ['mail', null, 'mailboxes'],
  queryFn: ({ signal }) => ask<PageMailboxes>('mailboxes', { signal }),
});

/** Its key is not `mail`: which mailbox belongs to an agent does not change with its mail. */
export const mailboxOf = (name: string) =>
  queryOptions({
    queryKey: ['mailbox', name],
    queryFn: ({ signal }) => ask<PageMailboxes>('mailboxes', { signal }),
    select: (found) => ({ own: found.mailboxes.find(({ agent }) => agent === name) }),
  });

/** What narrows the list of conversations, as the address has it. */
export const MAIL_CHOICES = [
  'mailbox',
  'box',
  'q',
  'from',
  'to',
  'since',
  'unread',
  'answered',
  'files',
] as const;
export type MailChoice = Partial<Record<(typeof MAIL_CHOICES)[number], string | undefined>>;

/** A mailbox shows its inbox, unless something is looked for. */
function askedBox({ mailbox, box, q, unread, answered }: MailChoice): string | undefined {
  return box ?? (mailbox && !q && !unread && !answered ? 'inbox' : undefined);
}

/** The address has a day; its first instant is in the zone of the browser. */
function sinceUtc({ since }: MailChoice): string | undefined {
  const at = since && /^\d{4}-\d\d-\d\d$/.test(since) ? new Date(`${since}T00:00`) : undefined;
  return at && !Number.isNaN(at.getTime()) ? `${at.toISOString().slice(0, 19)}Z` : undefined;
}

export const mailList = (choice: MailChoice) =>
  infiniteQueryOptions({
    queryKey: ['mail', null, 'list', choice],
    queryFn: ({ signal, pageParam }) =>
      ask<PageMailList>('mail', {
        signal,
        query: { ...choice, box: askedBox(choice), since: sinceUtc(choice), cursor: pageParam },
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

/** Its key is not `mail`: a wake that announces mail changes no mailbox. */
export const receiptsOf = (mailbox: string, thread: string) =>
  queryOptions({
    queryKey: ['receipts', null, mailbox, thread],
    queryFn: ({ signal }) => ask<PageMailReceipts>('mail/receipts', { signal, query: { mailbox, thread } }),
  });

export const threadOf = (mailbox: string, thread: string) =>
  queryOptions({
    queryKey: ['mail', null, 'thread', mailbox, thread],
    queryFn: ({ signal }) => ask<PageThread>('mail/thread', { signal, query: { mailbox, thread } }),
  });

export type RequestsView = PageRequestsView;

export const requestList = (view: RequestsView, of?: string) =>
  infiniteQueryOptions({
    queryKey: ['requests', null, view, of],
    queryFn: ({ signal, pageParam }) =>
      ask<PageRequestList>('requests', { signal, query: { view, of, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });

export const requestOf = (id: string) =>
  queryOptions({
    queryKey: ['requests', null, 'one', id],
    queryFn: ({ signal }) => ask<PageRequest>(`requests/${encodeURIComponent(id)}`, { signal }),
  });

export const searchFor = (q: string) =>
  infiniteQueryOptions({
    queryKey: ['search', null, q],
    queryFn: ({ signal, pageParam }) =>
      ask<PageSearch>('search', { signal, query: { q, cursor: pageParam } }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    enabled: q.trim() !== '',
    staleTime: 5000,
  });

export const messageOf = (mailbox: string, ref: string) =>
  queryOptions({
    queryKey: ['mail', null, 'message', mailbox, ref],
    queryFn: ({ signal }) =>
      ask<{ message: PageMessage }>('mail/message', { signal, query: { mailbox, ref } }),
  });
