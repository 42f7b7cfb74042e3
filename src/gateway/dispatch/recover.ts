import type { AgentSurface, Evidence } from '../../terminal/index.ts';
import { promptOf, type RequestQueue, type RequestRow } from '../queue/index.ts';

/** A request is put back in line once; if that ends in another crash, a person should look. */
const MOST_RETURNS = 1;

const UNTYPED = 'the gateway ended before anything was typed';

/**
 * Judges what a crash left running, by its evidence: submitted → finished as such; never typed → back in line, once,
 * or ended when it was a direct prompt; anything else is asked of the surface, and when it cannot tell, ends as failed.
 * Nothing is typed twice.
 */
export async function recoverRunning(queue: RequestQueue, surface: AgentSurface): Promise<void> {
  for (const row of queue.running()) await recoverOne(row, queue, surface);
  for (const row of queue.accepted('direct')) await dropDirect(row, queue);
}

async function recoverOne(row: RequestRow, queue: RequestQueue, surface: AgentSurface): Promise<void> {
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
      outcome: 'failed',
      detail: 'the gateway ended while interrupting; whether the key was sent is not known',
    });
  } else if (!typing) {
    await backInLine(row, queue, []);
  } else {
    const { verdict, evidence } = await surface.recover({
      requestId: row.request_id,
      text: promptOf(row),
      sinceUtc: typing.at_utc,
    });
    if (verdict === 'not_submitted') await backInLine(row, queue, evidence);
    else {
      await queue.finish(row.request_id, {
        outcome: verdict === 'submitted' ? 'submitted' : 'failed',
        detail:
          'the gateway ended while typing; whether the prompt was submitted is not known, so it is not typed again',
        result: { evidence },
      });
    }
  }
}

/** A direct prompt is typed now or not at all: whoever asked has seen the connection break and may have asked again. */
function dropDirect(row: RequestRow, queue: RequestQueue, why = UNTYPED): Promise<void> {
  return queue.finish(row.request_id, {
    outcome: 'failed',
    detail: `${why}; a direct prompt is not kept for later`,
  });
}

/** Nothing of it is with the tool: it was never typed, or, as the evidence says, it did not arrive or was taken back. */
async function backInLine(row: RequestRow, queue: RequestQueue, evidence: Evidence[]): Promise<void> {
  const found = evidence.at(-1)?.facts['found'];
  const why = typeof found === 'string' ? `the gateway ended before it was submitted: ${found}` : UNTYPED;
  if (row.source === 'direct') {
    await dropDirect(row, queue, why);
  } else if (row.returns < MOST_RETURNS) {
    await queue.giveBack(row.request_id, why, { afterCrash: true, evidence });
  } else {
    await queue.finish(row.request_id, {
      outcome: 'failed',
      detail: `${why}; this was the second time, and it is not tried a third time`,
      result: { evidence },
    });
  }
}
