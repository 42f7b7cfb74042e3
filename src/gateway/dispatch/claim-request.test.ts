import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Ending, systemClock, unavailable } from '../../base/index.ts';
import { openSqlite, type Sqlite } from '../../db/index.ts';
import { FakeSurface } from '../../terminal/index.ts';
import { PRIORITY, QUEUE_MIGRATIONS, RequestQueue } from '../queue/index.ts';
import { claimRequest } from './claim-request.ts';

/** How many of the next commits are written but not synced. */
let unsynced = 0;
let ending = new Ending();
let queue: RequestQueue;
let stages: string[];

beforeEach(() => {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-claim-'));
  ending.add(() => fs.rmSync(directory, { recursive: true, force: true }));
  const file = path.join(directory, 'queue.sqlite');
  const db = openSqlite({ file, migrations: QUEUE_MIGRATIONS, durable: false });
  ending.add(() => db.close());
  const commitTogether = db.commitTogether.bind(db);
  db.commitTogether = async <T>(work: (db: Sqlite) => T): Promise<T> => {
    const done = await commitTogether(work);
    if (unsynced-- > 0) throw unavailable('the disk refused the sync');
    return done;
  };
  unsynced = 0;
  queue = new RequestQueue(db, systemClock);
  stages = [];
  queue.entries.on(({ stage }) => stages.push(stage));
});
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const accept = async (source: string) => {
  const payload = { prompt: 'x' };
  const input = { kind: 'submit_prompt', payload, source, priority: PRIORITY.normal, epoch: 1 } as const;
  return (await queue.accept(input)).row;
};
const claim = (row: Parameters<typeof claimRequest>[0]) =>
  claimRequest(row, { queue, surface: new FakeSurface(), clock: systemClock });

describe('a disk that takes a change and then refuses the sync', () => {
  it('a claim that was not synced is requeued, and its return is not counted', async () => {
    const row = await accept('http');
    unsynced = 2;
    await expect(claim(row)).rejects.toMatchObject({ code: 'unavailable' });
    expect(queue.get(row.request_id)).toMatchObject({ state: 'accepted', returns: 0 });
    expect(await claim(row)).toBe(true);
  });

  it('a direct prompt whose claim was not synced ends, and is not kept for later', async () => {
    const row = await accept('direct');
    unsynced = 1;
    await expect(claim(row)).rejects.toMatchObject({ code: 'unavailable' });
    expect(queue.get(row.request_id)).toMatchObject({ state: 'failed' });
  });

  it('entries that were written but not synced are still reported to those who wait for them', async () => {
    unsynced = 1;
    await expect(accept('http')).rejects.toMatchObject({ code: 'unavailable' });
    const { request_id: id } = queue.queued(1)[0]!;
    unsynced = 1;
    await expect(queue.finish(id, { outcome: 'submitted' })).rejects.toMatchObject({ code: 'unavailable' });
    await queue.finish(id, { outcome: 'submitted' });
    expect(queue.get(id)).toMatchObject({ state: 'completed' });
    expect(stages).toEqual(['accepted', 'finished']);
  });
});
