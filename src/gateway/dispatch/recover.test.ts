import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Ending, systemClock } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from '../queue/index.ts';
import { recoverRunning } from './recover.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

/** A request that a killed gateway had begun. */
async function leftBehind(
  source: string,
  kind: 'submit_prompt' | 'interrupt' = 'submit_prompt',
): Promise<{ queue: RequestQueue; id: string }> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-recover-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const file = path.join(directory, 'queue.sqlite');
  const db = openSqlite({ file, migrations: QUEUE_MIGRATIONS, durable: false });
  ending.add(() => db.close());
  const queue = new RequestQueue(db, systemClock);
  const { row } = await queue.accept({
    kind,
    payload: kind === 'interrupt' ? {} : { prompt: 'x' },
    source,
    priority: PRIORITY.normal,
    epoch: 1,
  });
  await queue.claim(row.request_id);
  if (kind === 'interrupt') return { queue, id: row.request_id };
  for (const stage of ['typing', 'typed'] as const) await queue.record(row.request_id, stage, 'lane', {});
  return { queue, id: row.request_id };
}

class TakenBackSurface extends FakeSurface {
  override recover = async () => ({
    verdict: 'not_submitted' as const,
    evidence: [{ source: 'composer', atUtc: '', facts: { found: 'it was taken back' } }],
  });
}

describe('a request that was typed and provably not submitted', () => {
  it('a typed request that was provably not submitted is requeued with its evidence, and its ledger still shows the typing', async () => {
    const { queue, id } = await leftBehind('http');
    await recoverRunning(queue, new TakenBackSurface());
    expect(queue.get(id)).toMatchObject({ state: 'accepted', returns: 1 });
    expect(queue.ledger(id).at(-1)).toMatchObject({
      stage: 'returned',
      facts: {
        reason: 'the gateway ended before it was submitted: it was taken back',
        evidence: [{ source: 'composer' }],
      },
    });
  });

  it('a direct prompt that was provably not submitted ends with its evidence', async () => {
    const { queue, id } = await leftBehind('direct');
    await recoverRunning(queue, new TakenBackSurface());
    const { outcome, error_detail } = queue.get(id);
    expect([outcome, error_detail]).toEqual([
      'failed',
      'the gateway ended before it was submitted: it was taken back; a direct prompt is not kept for later',
    ]);
  });
});

describe('an interrupt that was begun', () => {
  it('an interrupt that was begun is unconfirmed after a crash, and its keys are not sent again', async () => {
    const { queue, id } = await leftBehind('http', 'interrupt');
    const surface = new FakeSurface();
    await recoverRunning(queue, surface);
    expect([queue.get(id).outcome, surface.interrupts]).toEqual(['unconfirmed', 0]);
  });
});
