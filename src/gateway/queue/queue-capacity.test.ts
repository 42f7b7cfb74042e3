import { afterEach, expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import { openSqlite } from '../../db/index.ts';
import { LIMITS, setLimits } from '../../domain/index.ts';
import { QUEUE_FILE_MIGRATIONS } from '../queue-file.ts';
import { RequestQueue } from './request-queue.ts';

afterEach(() =>
  setLimits(Object.fromEntries(Object.values(LIMITS).map((row) => [row.variable, `${row.standard}`]))),
);

function queue() {
  const db = openSqlite({ file: ':memory:', migrations: QUEUE_FILE_MIGRATIONS });
  const requests = new RequestQueue(db, new FakeClock());
  const accept = (prompt: string) =>
    requests.accept({ kind: 'submit_prompt', payload: { prompt }, priority: 0, source: 'http', epoch: 1 });
  return { line: requests, accept };
}

it('a queue with the max number of requests refuses more, until one has ended', async () => {
  setLimits({ ROUSE_MAX_QUEUE_ROWS: '2' });
  const { line, accept } = queue();
  const { row } = await accept('one');
  await accept('two');
  await expect(accept('three')).rejects.toMatchObject({
    code: 'unavailable',
    facts: { error_code: 'queue_full' },
  });
  expect(line.depth()).toBe(2);
  await line.finish(row.request_id, { outcome: 'cancelled' });
  await accept('three');
});

it('a queue with the max number of bytes refuses more, until some have ended', async () => {
  setLimits({ ROUSE_MAX_QUEUE_BYTES: '1000' });
  const { line, accept } = queue();
  const { row } = await accept('é'.repeat(300));
  await expect(accept('x'.repeat(900))).rejects.toThrow(/bytes of requests wait/);
  await accept('small');
  await line.finish(row.request_id, { outcome: 'cancelled' });
  await accept('x'.repeat(900));
});

it('a limit that is not a number is refused and named', () => {
  expect(() => setLimits({ ROUSE_MAX_QUEUE_ROWS: 'many' })).toThrow(/ROUSE_MAX_QUEUE_ROWS/);
});
