import { expect, it } from 'vitest';
import type { PageAgentRow } from '../../wire/index.ts';
import { keepingOrder, sortedBy } from './agent-order.ts';

const row = (name: string, over: Partial<PageAgentRow> = {}) =>
  ({
    id: name,
    name,
    unread: 0,
    owes: 0,
    queue_depth: 0,
    last_wake_utc: null,
    state_since_utc: null,
    ...over,
  }) as PageAgentRow;
const names = (rows: readonly PageAgentRow[]) => rows.map(({ name }) => name);

it('agents are sorted by a count with the greatest first, and by name within it', () => {
  const rows = [row('s10'), row('s2', { unread: 1 }), row('s1', { unread: null }), row('ana', { unread: 1 })];
  expect(names(sortedBy('unread', rows))).toEqual(['ana', 's2', 's1', 's10']);
  expect(names(sortedBy('name', rows))).toEqual(['ana', 's1', 's2', 's10']);
});

it('agents sorted by state stay in the order in which they came', () => {
  expect(names(sortedBy('state', [row('b'), row('a')]))).toEqual(['b', 'a']);
});

it('agents without a wake come after those with one', () => {
  const rows = [row('a'), row('b', { last_wake_utc: '2026-01-01T00:00:00Z' })];
  expect(names(sortedBy('wake', rows))).toEqual(['b', 'a']);
});

it('rows keep their places, new rows come last, and removed rows leave no gap', () => {
  const rows = [row('d'), row('c'), row('a')];
  expect(names(keepingOrder(rows, ['a', 'b', 'c']))).toEqual(['a', 'c', 'd']);
});
