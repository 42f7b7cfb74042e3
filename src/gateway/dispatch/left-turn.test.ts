import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock as clock, Ending } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { FakeSurface, type LeftTurn } from '../../terminal/index.ts';
import { PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from '../queue/index.ts';
import { followLeftTurn } from './left-turn.ts';
import { runRequest } from './run-request.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

class FollowingSurface extends FakeSurface {
  followed: LeftTurn[] = [];

  followLeft(turn: LeftTurn): boolean {
    this.followed.push(turn);
    return true;
  }
}

function openQueue(file: string): RequestQueue {
  const db = openSqlite({ file, migrations: QUEUE_MIGRATIONS, durable: false });
  ending.add(() => db.close());
  return new RequestQueue(db, clock);
}

/** Lets a gateway type these, and returns the queue as the next gateway finds it. */
async function typed(
  surface: FakeSurface,
  ...prompts: string[]
): Promise<{ queue: RequestQueue; ids: string[] }> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-left-turn-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const file = path.join(directory, 'queue.sqlite');
  const before = openQueue(file);
  const ids: string[] = [];
  for (const prompt of prompts) {
    const asked = { kind: 'submit_prompt', payload: { prompt }, source: 'http' } as const;
    const { row } = await before.accept({ ...asked, priority: PRIORITY.normal, epoch: 1 });
    await before.claim(row.request_id);
    await runRequest(before.get(row.request_id), 'ready_only', { queue: before, surface, clock });
    ids.push(row.request_id);
  }
  return { queue: openQueue(file), ids };
}

const stages = (queue: RequestQueue, id: string) => queue.ledger(id).map(({ stage }) => stage);

describe('a turn that was under way when a gateway ended', () => {
  it('the next gateway watches a turn left running, and the ledger gets its end as the tool reported it', async () => {
    const surface = new FollowingSurface();
    const { queue, ids } = await typed(surface, 'first', 'second');
    followLeftTurn({ queue, surface, clock });
    expect(surface.followed).toMatchObject([{ text: 'second' }]);
    expect(ids.map((id) => queue.isComplete(id))).toEqual([true, false]);
    const facts = { result: 'success' };
    await surface.followed[0]!.record('turn_finished', { source: 'hook', atUtc: '', facts });
    expect(queue.ledger(ids[1]!).at(-1)).toMatchObject({ stage: 'turn_finished', source: 'hook', facts });
    expect(queue.isComplete(ids[1]!)).toBe(true);
  });

  it('a left turn is not watched if its end was reported or nothing was submitted', async () => {
    const surface = new FollowingSurface();
    const ended = await typed(surface, 'first');
    await surface.reportStage('turn_finished');
    followLeftTurn({ queue: ended.queue, surface, clock });
    surface.outcomes = ['unconfirmed'];
    const lost = await typed(surface, 'second');
    followLeftTurn({ queue: lost.queue, surface, clock });
    expect(surface.followed).toEqual([]);
  });

  it('a left turn has no end if its tool does not report one', async () => {
    const surface = new FakeSurface();
    const { queue, ids } = await typed(surface, 'first');
    followLeftTurn({ queue, surface, clock });
    expect([queue.isComplete(ids[0]!), stages(queue, ids[0]!)]).toEqual([
      true,
      expect.not.arrayContaining(['turn_finished']),
    ]);
  });
});
