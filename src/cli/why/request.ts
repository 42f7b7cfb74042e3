import { REQUEST_OUTCOMES } from '../../domain/index.ts';
import type { RequestView } from '../../wire/index.ts';
import type { Output } from '../command.ts';
import { requestText } from '../gateway/request-print.ts';
import { dayAndTime } from '../print/local-time.ts';
import { choose } from './choose.ts';
import type { WhySource } from './source.ts';

/** How one request ended or why it waits, and why it was accepted. */
export async function whyRequest(id: string, source: WhySource): Promise<Output> {
  const request = await source.request(id);
  const decisions =
    request.source === 'notifier'
      ? await choose(source, {
          limit: 1,
          at: undefined,
          matches: (decision) => decision.enqueued_request_id === id,
        })
      : [];
  return {
    data: { schema_version: 1, agent_name: source.agent, request, decisions },
    plain: [
      requestText(request),
      '',
      requestSentence(request),
      ...decisions.map(
        (decision) =>
          `It was accepted to wake the agent for mail, as decided at ${dayAndTime(decision.poll_time_utc)}.`,
      ),
    ].join('\n'),
  };
}

function requestSentence({ outcome, state, waiting_reason, ledger }: RequestView): string {
  if (outcome === 'cancelled' && ledger?.some(({ stage }) => stage === 'typing'))
    return 'It was typed, and its turn was interrupted.';
  if (outcome !== null) return REQUEST_OUTCOMES[outcome].words;
  if (state === 'running') return 'It is being typed, or waits for its proof.';
  return waiting_reason
    ? 'It is queued, and is typed as soon as this reason is gone. "requests cancel" removes it.'
    : 'It is queued. "requests cancel" removes it.';
}
