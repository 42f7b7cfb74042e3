import type { MailMessageView } from '../../../src/wire/index.ts';
import type { Received } from '../model/mock-model.ts';
import type { AgentUnderTest } from '../support/agent-under-test.ts';
import type { AgentPair } from './agent-pair.ts';
import { isWakePrompt } from './do-mail.ts';
import type { Round } from './play-round.ts';

/** Every message with this word, archived or not. */
export async function mailAbout({ gateway }: AgentUnderTest, word: string): Promise<MailMessageView[]> {
  const boxes = await Promise.all(
    ['inbox', 'archive'].map((box) =>
      gateway.call('mail.list', { body: { box, include_body: true, limit: 200 } }),
    ),
  );
  return boxes.flatMap(({ messages }) => messages).filter(({ body_text }) => body_text?.includes(word));
}

export async function mailProof({ ana, ben }: AgentPair, word: string): Promise<string[]> {
  const [asked, answer] = [(await mailAbout(ben, word))[0], (await mailAbout(ana, word))[0]];
  const claims: [string, unknown][] = [
    ["Ana's mail is read", asked?.read],
    ["Ana's mail is answered", asked?.answered],
    ["Ana's mail is archived", asked?.archived],
    ['the answer is from Ben', answer?.sender.address === ben.address],
    ['the answer is read', answer?.read],
    ['the answer is archived', answer?.archived],
  ];
  return claims.filter(([, holds]) => holds !== true).map(([claim]) => `it does not hold that ${claim}`);
}

export async function lastDecision({ gateway }: AgentUnderTest): Promise<number> {
  const { decisions } = await gateway.call('notifier.decisions', { limit: 1 });
  return decisions[0]?.audit_id ?? 0;
}

const LEDGER = ['accepted', 'typing', 'typed', 'submitted', 'turn_seen'] as const;

/** As many wakes as were due, each with a complete ledger. */
export async function wakeProof(
  { gateway, name }: AgentUnderTest,
  after: number,
  { due, endSeen }: { due: number; endSeen: boolean },
): Promise<{ wrong: string[]; doubled: boolean }> {
  const { decisions } = await gateway.call('notifier.decisions', { limit: 1000 });
  const wakes = decisions.filter(({ audit_id, outcome }) => audit_id > after && outcome === 'enqueued');
  const wrong = wakes.length === due ? [] : [`${name} was woken ${wakes.length} times, not ${due}`];
  const last = wakes[0]?.enqueued_request_id;
  if (last) {
    const { outcome, ledger = [] } = await gateway.getRequest(last);
    const stages = (ledger ?? []).map(({ stage }) => stage);
    const wanted = [...LEDGER, ...(endSeen ? ['turn_finished' as const] : [])];
    const missing = wanted.filter((stage) => !stages.includes(stage));
    if (outcome !== 'submitted' || missing.length > 0)
      wrong.push(`the ledger of ${name}'s wake says ${outcome} and lacks ${missing.join(', ') || 'nothing'}`);
  }
  return { wrong, doubled: wakes.length > due };
}

/** The end of the last wake's turn was seen, and the agent is free. */
export async function turnsEnded(agent: AgentUnderTest, endSeen: boolean): Promise<boolean> {
  const { gateway } = agent;
  const { requests } = await gateway.call('requests.list', { limit: 1 });
  if (!requests[0]) return false;
  const { ledger } = await gateway.getRequest(requests[0].request_id);
  const end = endSeen ? 'turn_finished' : 'turn_seen';
  return ledger?.some(({ stage }) => stage === end) === true && isReady(agent);
}

export async function isReady({ gateway }: AgentUnderTest): Promise<boolean> {
  return (await gateway.tuiState()).submit_ready === true;
}

/** By the model's clock: from the result of `mail_send` to that of the last `mail_archive`. */
export function timesOf(log: Received[], word: string): Pick<Round, 'tookMs' | 'modelMs'> {
  const sent = log.find(({ prompt, results }) => prompt.includes(word) && results === 1);
  const archived = log.findLast(({ prompt, results }) => isWakePrompt(prompt) && results > 0);
  if (!sent || !archived) return { tookMs: 0, modelMs: 0 };
  const between = log.filter(({ at, side }) => !side && at > sent.at && at < archived.at);
  return { tookMs: archived.at - sent.at, modelMs: coveredMs(between, archived.at) };
}

/** How long the model worked. Time in which it answered both agents counts once. */
function coveredMs(answers: Pick<Received, 'at' | 'tookMs'>[], until: number): number {
  let reached = 0;
  let sum = 0;
  for (const { at, tookMs } of [...answers].sort((one, other) => one.at - other.at)) {
    const end = Math.min(at + tookMs, until);
    sum += Math.max(0, end - Math.max(at, reached));
    reached = Math.max(reached, end);
  }
  return sum;
}
