import { expect, it } from 'vitest';
import { codesOf, PAGE_ROLES, type PageRole, rightsOf } from '../../domain/tables.ts';
import type { PageAgentRow } from '../../wire/index.ts';
import { commandsFor } from './commands.ts';

const row = (name: string, more: Partial<PageAgentRow> = {}): PageAgentRow =>
  ({
    id: name,
    name,
    here: true,
    state: 'idle',
    paused: null,
    gateway: { alive: true },
    ...more,
  }) as PageAgentRow;
const pathOf = (name: string): string => `/ui/agents/${name}`;
const agents = [row('ana'), row('ben', { paused: { until_utc: null } })];
const found = (text: string, role: PageRole = 'run'): string[] =>
  commandsFor(text, { agents, muted: new Set(), rights: rightsOf(role), pathOf }).map(({ words }) => words);

it('a command is found by the beginnings of its words, in any order', () => {
  expect(found('stop ana')).toEqual(['stop ana']);
  expect(found('ana pau 1')).toEqual(['pause ana for 1 h']);
  expect(found('resume ben')[0]).toBe('resume ben');
  expect(found('mail')).toEqual(['mail', 'new mail']);
  expect(found('zzz')).toEqual([]);
});

it('without words the places are offered, and never more than a few commands', () => {
  expect(found('')).toContain('home');
  const many = Array.from({ length: 500 }, (_, n) => row(`agent-${n}`));
  expect(
    commandsFor('agent', { agents: many, muted: new Set(), rights: rightsOf('run'), pathOf }),
  ).toHaveLength(8);
});

it.each(codesOf(PAGE_ROLES).filter((role) => role !== 'run'))(
  'the role %s is offered nothing that stops or starts',
  (role) => {
    expect(found('ana', role).filter((words) => /^(stop|relaunch|bring)/.test(words))).toEqual([]);
    expect(found('open ana', role)).toEqual(['open ana']);
  },
);
