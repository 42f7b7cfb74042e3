import { expect, it } from 'vitest';
import type { Sql } from '../../db/index.ts';
import { dueRules } from './due.ts';
import { pickAgents } from './pick-agents.ts';
import { NUDGE_DEFAULTS } from './settings.ts';

interface Row {
  agent: string;
  state: string;
  age: number;
  items: number;
}

/** A database whose first query returns the due items and whose second returns the idle agents. */
function database(...answers: Partial<Row>[][]) {
  const asked: (readonly unknown[])[] = [];
  const sql = {
    query: async (_text: string, params: readonly unknown[]) => {
      const rows = answers[asked.push(params) - 1] ?? [];
      return { rows, rowCount: rows.length };
    },
  } as unknown as Sql;
  return { sql, asked };
}

const rules = dueRules(NUDGE_DEFAULTS);
const due = (agent: string, state = 'ready', items = 1): Row => ({ agent, state, age: 100, items });

it('agents to nudge are the ready ones in the order of their due items; the others are counted by reason', async () => {
  const { sql, asked } = database([
    due('a'),
    due('b', 'busy'),
    due('c', 'offline'),
    due('d', 'busy'),
    due('e'),
  ]);
  expect(await pickAgents(sql, rules, { limit: 2 })).toEqual({
    agents: ['a', 'e'],
    held: { busy: 2, offline: 1 },
    oldestAgeSeconds: 100,
    more: false,
  });
  expect(asked).toEqual([[10, []]]);
});

it('a pass reports that more agents are ready than it may nudge', async () => {
  const { sql } = database([due('a'), due('b'), due('c')]);
  expect(await pickAgents(sql, rules, { limit: 2 })).toMatchObject({ agents: ['a', 'b'], more: true });
});

it('a backlog of one agent does not hide the others: idle agents are then asked for one by one', async () => {
  const { sql, asked } = database(
    [due('a', 'ready', 10)],
    [due('a'), { agent: 'z', state: 'ready', age: 7000 }],
  );
  expect(await pickAgents(sql, rules, { limit: 2, without: ['x'] })).toMatchObject({
    agents: ['a', 'z'],
    oldestAgeSeconds: 7000,
  });
  expect(asked).toEqual([
    [10, ['x']],
    [3, ['x']],
  ]);
});

it('nothing due means no agents to nudge and no second query', async () => {
  const { sql, asked } = database([]);
  expect(await pickAgents(sql, rules, { limit: 5 })).toEqual({
    agents: [],
    held: {},
    oldestAgeSeconds: 0,
    more: false,
  });
  expect(asked).toHaveLength(1);
});
