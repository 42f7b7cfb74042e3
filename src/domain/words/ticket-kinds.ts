import { anyOf, type CodeOf } from './table.ts';
import type { TicketAnswer } from './ticket-statuses.ts';

/** What may be asked of an agent or a person, and the answers each kind takes. */
export const TICKET_KINDS = {
  task: { words: 'a task', means: 'somebody does something', answers: ['done', 'rejected'] },
  approval: { words: 'an approval', means: 'somebody says yes or no', answers: ['approved', 'rejected'] },
} as const satisfies Record<string, { words: string; means: string; answers: readonly TicketAnswer[] }>;

export type TicketKind = CodeOf<typeof TICKET_KINDS>;

export const answersOf = (kind: TicketKind): readonly TicketAnswer[] => TICKET_KINDS[kind].answers;

/** "a task with done or rejected, an approval with approved or rejected" */
export const KINDS_AND_ANSWERS = Object.values(TICKET_KINDS)
  .map(({ words, answers }) => `${words} with ${anyOf(answers)}`)
  .join(', ');

/** "task: somebody does something. approval: somebody says yes or no." */
export const KINDS_AND_MEANINGS = Object.entries(TICKET_KINDS)
  .map(([kind, { means }]) => `${kind}: ${means}.`)
  .join(' ');
