import { anyOf, type CodeOf } from './table.ts';
import type { TicketAnswer } from './ticket-statuses.ts';

interface KindRow {
  words: string;
  /** What someone is asked "to": "ana asks you to approve". */
  asks: string;
  means: string;
  answers: readonly TicketAnswer[];
}

/** What an agent or a person may be asked for, and the answers to each kind. */
export const TICKET_KINDS = {
  task: { words: 'a task', asks: 'to do', means: 'someone does something', answers: ['done', 'rejected'] },
  approval: {
    words: 'an approval',
    asks: 'to approve',
    means: 'someone decides yes or no',
    answers: ['approved', 'rejected'],
  },
} as const satisfies Record<string, KindRow>;

export type TicketKind = CodeOf<typeof TICKET_KINDS>;

export const answersOf = (kind: TicketKind): readonly TicketAnswer[] => TICKET_KINDS[kind].answers;

/** "a task with done or rejected, an approval with approved or rejected" */
export const KINDS_AND_ANSWERS = Object.values(TICKET_KINDS)
  .map(({ words, answers }) => `${words} with ${anyOf(answers)}`)
  .join(', ');

/** "task: someone does something. approval: someone decides yes or no." */
export const KINDS_AND_MEANINGS = Object.entries(TICKET_KINDS)
  .map(([kind, { means }]) => `${kind}: ${means}.`)
  .join(' ');
