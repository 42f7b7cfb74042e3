/** What may be asked of somebody. */
export const REQUEST_KINDS = ['task', 'approval'] as const;
/** Still waiting for somebody. */
export const OPEN_REQUEST_STATUSES = ['pending', 'info_requested'] as const;
/** The answer was given, or the question withdrawn. Nothing changes any more. */
export const CLOSED_REQUEST_STATUSES = ['done', 'approved', 'rejected', 'cancelled'] as const;
export const INBOX_REQUEST_STATUSES = [...OPEN_REQUEST_STATUSES, ...CLOSED_REQUEST_STATUSES] as const;
/** What a list may be narrowed to. */
export const REQUEST_FILTERS = ['open', 'closed', 'all', ...INBOX_REQUEST_STATUSES] as const;
/** The answers each kind takes. */
export const REQUEST_ACTIONS = {
  task: ['done', 'rejected'],
  approval: ['approved', 'rejected'],
} as const satisfies Record<RequestKind, readonly string[]>;

export type RequestKind = (typeof REQUEST_KINDS)[number];
export type InboxRequestStatus = (typeof INBOX_REQUEST_STATUSES)[number];
export type RequestFilter = (typeof REQUEST_FILTERS)[number];

export const LONGEST_TITLE = 200;
export const LONGEST_REQUEST_TEXT = 20_000;
export const LONGEST_KEY = 200;
