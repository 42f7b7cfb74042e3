import { expect, it } from 'vitest';
import type { PageAgentRow, PageSnapshot } from '../../wire/index.ts';
import { applyChanges, pictureOf, rowNamed, standingOf } from './picture.ts';

const row = (id: string, state: PageAgentRow['state']): PageAgentRow =>
  ({ id, name: id, state }) as PageAgentRow;
const snapshot = {
  seq: 5,
  epoch: 'e',
  host: 'here',
  agents: [row('ana', 'idle'), row('ben', 'working')],
  needs_you: [],
  counts: {},
  troubles: [],
  muted: [],
} as unknown as PageSnapshot;
const now_utc = '2026-01-01T00:00:00Z';

it('a change replaces whole rows, and leaves the others the same objects', () => {
  const before = pictureOf(snapshot);
  const after = applyChanges(before, [{ seq: 6, now_utc, agents: [row('ana', 'working')], removed: [] }]);
  expect(rowNamed(after.agents.values(), 'ana')?.state).toBe('working');
  expect(after.agents.get('ben')).toBe(before.agents.get('ben'));
  expect(before.agents.get('ana')?.state).toBe('idle');
});

it('changes that the snapshot already has do nothing', () => {
  const before = pictureOf(snapshot);
  expect(applyChanges(before, [{ seq: 5, now_utc, agents: [row('ana', 'gone')] }])).toBe(before);
});

it('agents are added and removed, and the newest of several changes wins', () => {
  const after = applyChanges(pictureOf(snapshot), [
    { seq: 6, now_utc, agents: [row('cleo', 'idle')] },
    { seq: 7, now_utc, agents: [row('cleo', 'gone')], removed: ['ben'] },
  ]);
  expect([...after.agents.values()].map(({ id, state }) => `${id} ${state}`)).toEqual([
    'ana idle',
    'cleo gone',
  ]);
  expect(after.seq).toBe(7);
});

it('the list of agents changes only when an agent is added, removed or changes state', () => {
  const before = pictureOf(snapshot);
  expect(before.roll.map(({ name }) => name)).toEqual(['ben', 'ana']);
  const words = { ...row('ana', 'idle'), state_words: 'idle since noon' };
  const same = applyChanges(before, [{ seq: 6, now_utc, agents: [words] }]);
  expect(same.roll).toBe(before.roll);
  expect(same.agents.get('ana')).toBe(words);
  const other = applyChanges(same, [{ seq: 7, now_utc, agents: [row('ana', 'needs_you')] }]);
  expect(other.roll.map(({ name }) => name)).toEqual(['ana', 'ben']);
  const fewer = applyChanges(other, [{ seq: 8, now_utc, removed: ['ben'] }]);
  expect(fewer.roll.map(({ name }) => name)).toEqual(['ana']);
  const exchanged = applyChanges(other, [
    { seq: 8, now_utc, agents: [row('cleo', 'idle')], removed: ['ben'] },
  ]);
  expect(exchanged.roll.map(({ name }) => name)).toEqual(['ana', 'cleo']);
});

it('the needs of a muted agent are hidden until its state changes, and those of others never', () => {
  const asked = ['ana', 'ben'].map((agent) => ({ key: agent, agent }));
  const muted = [{ id: 'ben', state: standingOf(row('ben', 'working')) }];
  const before = pictureOf({ ...snapshot, needs_you: asked, muted } as unknown as PageSnapshot);
  expect([before.needs.map(({ key }) => key), [...before.mutedIds]]).toEqual([['ana'], ['ben']]);
  const same = applyChanges(before, [{ seq: 6, now_utc, agents: [row('ana', 'working')] }]);
  expect(same.needs).toBe(before.needs);
  const after = applyChanges(same, [{ seq: 7, now_utc, agents: [row('ben', 'needs_you')] }]);
  expect([after.needs.map(({ key }) => key), [...after.mutedIds]]).toEqual([['ana', 'ben'], []]);
});
