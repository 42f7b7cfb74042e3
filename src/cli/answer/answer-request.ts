import { commandLine, invalid, nearest } from '../../base/index.ts';
import { ANSWER_VERBS, anyOf, TICKET_ANSWERS, type TicketAnswer, verbOf } from '../../domain/index.ts';
import type { Output } from '../command.ts';
import { fleetOf } from '../fleet/access.ts';
import { threadText } from '../fleet/requests-print.ts';
import type { AnswerInput } from './flags.ts';

/** What people type, and what the request becomes. */
const VERDICTS: ReadonlyMap<string, TicketAnswer> = new Map(
  TICKET_ANSWERS.flatMap((answer) => [[verbOf(answer), answer] as const, [answer, answer] as const]),
);

/** Shows a request; with a verdict closes it, with any other text sends that to the other side. */
export async function answerRequest(input: AnswerInput, id: string): Promise<Output> {
  const { TicketsClient } = await import('../../client/index.ts');
  const [said] = input.args;
  const { note } = input.flags;
  const verdict = said === undefined ? undefined : VERDICTS.get(said.toLowerCase());
  if (verdict === undefined && note !== undefined)
    throw invalid(`--note goes with ${anyOf(ANSWER_VERBS)}`, {
      hint: commandLine`for example: rouse answer ${id} approve --note ${note}`,
    });
  if (said !== undefined && verdict === undefined) requireText(said, id);
  const tickets = new TicketsClient(await fleetOf(input));
  if (said === undefined) {
    const thread = await tickets.get(id);
    return { data: thread, plain: threadText(thread, Date.now()) };
  }
  if (verdict === undefined) {
    const added = await tickets.message(id, said);
    return { data: added, plain: `Sent; the request is ${added.request_status} now.` };
  }
  const changed = await tickets.respond(id, { action: verdict, ...(note !== undefined && { note }) });
  return { data: changed, plain: `Answered: ${changed.status}.` };
}

/** A mistyped verdict must not go out as a message. */
function requireText(said: string, id: string): void {
  if (said.trim() === '') throw invalid('the text must not be blank');
  const [meant] = /\s/.test(said) ? [] : nearest(said.toLowerCase(), [...VERDICTS.keys()], 1);
  if (meant === undefined) return;
  throw invalid(`"${said}" is neither a verdict nor a text of several words`, {
    hint: commandLine`did you mean: rouse answer ${id} ${meant}`,
  });
}
