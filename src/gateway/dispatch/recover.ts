import type { AgentSurface } from '../../terminal/index.ts';
import { promptOf, type RequestQueue, type RequestRow } from '../queue/index.ts';
import { requeue } from './requeue.ts';

const UNTYPED = 'the gateway ended before anything was typed';

/**
 * Judges by evidence what a crash left running: submitted ones are finished as such; never-typed ones are requeued
 * once, or end if they were direct prompts; the surface decides the rest, and without a decision they end as
 * unconfirmed. Nothing is typed twice. Returns those still running, because the tool has not reacted to the typed text.
 */
export async function recoverRunning(queue: RequestQueue, surface: AgentSurface): Promise<RequestRow[]> {
  const unseen: RequestRow[] = [];
  for (const row of queue.running()) if (await recoverOne(row, queue, surface)) unseen.push(row);
  for (const row of queue.accepted('direct')) await requeue(row, queue, { why: UNTYPED, evidence: [] });
  return unseen;
}

/** Returns true if it cannot be judged yet. */
async function recoverOne(row: RequestRow, queue: RequestQueue, surface: AgentSurface): Promise<boolean> {
  const entries = queue.ledger(row.request_id);
  const begun = entries.findLastIndex((entry) => entry.stage === 'running');
  const attempt = entries.slice(Math.max(0, begun));
  const typing = attempt.find((entry) => entry.stage === 'typing');
  if (attempt.some((entry) => entry.stage === 'submitted')) {
    await queue.finish(row.request_id, {
      outcome: 'submitted',
      result: { recovered: 'the gateway ended after submission was proven' },
    });
  } else if (row.request_kind === 'interrupt') {
    await queue.finish(row.request_id, {
      outcome: 'unconfirmed',
      detail: 'the gateway ended while interrupting; whether the keys were sent is not known',
    });
  } else if (!typing) {
    await requeue(row, queue, { why: UNTYPED, evidence: [] });
  } else {
    const { verdict, evidence } = await surface.recover({
      requestId: row.request_id,
      text: promptOf(row),
      sinceUtc: typing.at_utc,
    });
    if (verdict === 'unseen' && row.source !== 'direct') return true;
    if (verdict === 'not_submitted') {
      const found = evidence.at(-1)?.facts['found'];
      const why = typeof found === 'string' ? `the gateway ended before it was submitted: ${found}` : UNTYPED;
      await requeue(row, queue, { why, evidence });
    } else {
      await queue.finish(row.request_id, {
        outcome: verdict === 'submitted' ? 'submitted' : 'unconfirmed',
        detail:
          'the gateway ended while typing; whether the prompt was submitted is not known, so it is not typed again',
        result: { evidence },
      });
    }
  }
  return false;
}
