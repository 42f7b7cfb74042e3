import { expect, it } from 'vitest';
import type { RosterAgent, RosterPlace } from '../../../session/index.ts';
import type { SeenAgent } from './agent-rows.ts';
import { ShownAgents } from './shown-agents.ts';

const NOW = new Date('2026-01-01T12:00:10Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const place: RosterPlace = {
  facts: undefined,
  mailbox: undefined,
  again: () => {
    throw new Error('nobody asked');
  },
};
const agent = (over: Partial<RosterAgent> = {}): RosterAgent => ({
  name: 'ana',
  id: 'id-ana',
  tool: 'claude',
  host: 'here',
  state: 'idle',
  since: NOW.toISOString(),
  reason: 'idle',
  needs_you: null,
  open_mail: 0,
  wakes: null,
  waiting_for: null,
  gateway: 'live',
  origin: 'launched',
  ...over,
});
const activity = { wakes: [], turns: [], lastTurnEndedAtUtc: null, doing: null, troubles: [] };
const seen = (over: Partial<SeenAgent> = {}): SeenAgent => ({
  agent: agent(),
  place,
  activity,
  fleet: undefined,
  seenAt: undefined,
  ...over,
});

it('what nothing changed of stays the same object', () => {
  const shown = new ShownAgents();
  const facts = seen();
  shown.look(facts, NOW);
  const before = shown.all.get('id-ana');
  shown.look({ ...facts }, later(1000));
  expect(shown.all.get('id-ana')).toBe(before);
});

it('other words are another row, and a minute that passes is not', () => {
  const shown = new ShownAgents();
  const facts = seen();
  shown.look(facts, NOW);
  const before = shown.all.get('id-ana')!;
  shown.look(facts, later(60_000));
  expect(shown.all.get('id-ana')!.row.last_hour.from_utc).not.toBe(before.row.last_hour.from_utc);
  expect(shown.all.get('id-ana')!.signature).toBe(before.signature);
  shown.look(seen({ agent: agent({ state: 'working', reason: 'working' }) }), later(61_000));
  expect(shown.all.get('id-ana')!.signature).not.toBe(before.signature);
});

it('the chart of an agent that rests is told again every few minutes, until its hour is empty', () => {
  const shown = new ShownAgents();
  const facts = seen({ activity: { ...activity, wakes: [NOW.toISOString()] } });
  const told = new Set<string>();
  for (let minute = 0; minute <= 120; minute++) {
    shown.look(facts, later(minute * 60_000));
    told.add(shown.all.get('id-ana')!.signature);
  }
  // The minute itself, twelve steps of five, and none.
  expect(told.size).toBe(14);
});

it('time alone makes a matter of what does not pass', () => {
  const shown = new ShownAgents();
  const facts = seen({
    agent: agent({ state: 'needs_you', reason: 'a draft', needs_you: 'finish the draft' }),
  });
  shown.look(facts, later(500));
  expect(shown.all.get('id-ana')!.needs).toEqual([]);
  shown.look(facts, later(3000));
  const { needs } = shown.all.get('id-ana')!;
  expect(needs).toMatchObject([{ agent: 'ana', kind: 'other' }]);
  shown.look(facts, later(4000));
  expect(shown.all.get('id-ana')!.needs).toBe(needs);
});

it('forgets who is gone', () => {
  const shown = new ShownAgents();
  shown.look(seen(), NOW);
  shown.keep(new Map());
  expect(shown.all.size).toBe(0);
});
