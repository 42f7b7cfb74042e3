import { type CodeOf, type CodeWith, codesOf, codesWith } from './table.ts';

interface StatusRow {
  /** On the page. */
  words: string;
  /** Still waits for its end. A ticket that is not open never changes again. */
  open: boolean;
  /** While it is open, a recipient that is an agent is reminded. */
  nudged: boolean;
  /** The button that answers it so. Null: not an answer. */
  button: string | null;
  answer: boolean;
  /** With this answer, what was requested was done. */
  agrees: boolean;
}

const open = { open: true, nudged: true, button: null, answer: false, agrees: false } as const;
const answer = { open: false, nudged: false, answer: true, agrees: true } as const;

/** The status of a ticket between agents and people. */
export const TICKET_STATUSES = {
  pending: { ...open, words: 'open' },
  info_requested: { ...open, words: 'asked back' },
  done: { ...answer, words: 'done', button: 'Done' },
  approved: { ...answer, words: 'approved', button: 'Approve' },
  rejected: { ...answer, words: 'rejected', button: 'Reject', agrees: false },
  cancelled: { ...answer, words: 'withdrawn', button: null, answer: false, agrees: false },
} as const satisfies Record<string, StatusRow>;

export type TicketStatus = CodeOf<typeof TICKET_STATUSES>;
export type OpenTicketStatus = CodeWith<typeof TICKET_STATUSES, 'open'>;
/** The possible answers. */
export type TicketAnswer = CodeWith<typeof TICKET_STATUSES, 'answer'>;

export const OPEN_TICKETS = codesWith(TICKET_STATUSES, 'open');
export const NUDGED_TICKETS = codesWith(TICKET_STATUSES, 'nudged');
export const TICKET_ANSWERS = codesWith(TICKET_STATUSES, 'answer');
export const CLOSED_TICKETS = codesOf(TICKET_STATUSES).filter((code) => !TICKET_STATUSES[code].open);
/** What a person types for an answer: the word on its button. */
export const verbOf = (answer: TicketAnswer): string => TICKET_STATUSES[answer].button.toLowerCase();
export const ANSWER_VERBS = TICKET_ANSWERS.map(verbOf);
/** Closed without an answer. */
export const UNANSWERED_TICKETS = CLOSED_TICKETS.filter((code) => !TICKET_STATUSES[code].answer);

export const isOpenTicket = (status: TicketStatus): status is OpenTicketStatus =>
  TICKET_STATUSES[status].open;

/** What a list can be narrowed to. */
export const TICKET_FILTERS = ['open', 'closed', 'all', ...codesOf(TICKET_STATUSES)] as const;
export type TicketFilter = (typeof TICKET_FILTERS)[number];
