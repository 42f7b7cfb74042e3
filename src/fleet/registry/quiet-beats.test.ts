import { expect, it } from 'vitest';
import { FakeClock } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { SentBeat } from './beat-statement.ts';
import { QuietBeats } from './quiet-beats.ts';

const beat = (workspaceId: string, n = 1): SentBeat =>
  ({
    caller: { kind: 'agent', tokenId: 't', orgId: 'org', workspaceId },
    body: { session_id: 's', beat: n },
  }) as unknown as SentBeat;

function recorder(fails = false) {
  const statements: unknown[] = [];
  const sql = {
    query: async (_text: string, [, ids]: [unknown, string[]]) => {
      statements.push(ids);
      if (fails) throw new Error('the database is away');
      const rows = ids.filter((id) => id !== 'locked').map((id) => ({ id, status: 'online' }));
      return { rows, rowCount: rows.length };
    },
  } as unknown as Sql;
  const mailVersions = async (_sql: Sql, ids: readonly string[]) =>
    new Map(ids.filter((id) => id !== 'without mail').map((id) => [id, `v-${id}`]));
  return { beats: new QuietBeats({ sql, clock: new FakeClock(), mailVersions }), statements };
}

it('heartbeats of many agents that arrive together are one statement', async () => {
  const { beats, statements } = recorder();
  const recorded = await Promise.all(['a', 'b', 'c'].map((id) => beats.record(beat(id))));
  expect(recorded.map((row) => row?.id)).toEqual(['a', 'b', 'c']);
  expect(statements).toEqual([['a', 'b', 'c']]);
});

it('a locked agent and a second heartbeat of the same agent are left to be recorded on their own', async () => {
  const { beats } = recorder();
  const [first, second, locked] = await Promise.all([
    beats.record(beat('a', 1)),
    beats.record(beat('a', 2)),
    beats.record(beat('locked')),
  ]);
  expect(first?.id).toBe('a');
  expect([second, locked]).toEqual([undefined, undefined]);
});

it('a heartbeat that cannot be recorded does not fail the others: each is then recorded on its own', async () => {
  const { beats } = recorder(true);
  expect(await Promise.all([beats.record(beat('a')), beats.record(beat('b'))])).toEqual([
    undefined,
    undefined,
  ]);
});

it('the versions of mailboxes are read together, and an agent without one has none', async () => {
  const { beats } = recorder();
  expect(await Promise.all(['a', 'without mail'].map((id) => beats.mailVersion(id)))).toEqual([
    'v-a',
    undefined,
  ]);
});
