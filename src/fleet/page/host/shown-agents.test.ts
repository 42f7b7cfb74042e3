import { expect, it } from 'vitest';
import type { RosterAgent, RosterPlace } from '../../../session/index.ts';
import type { SeenAgent } from './agent-rows.ts';
import { ShownAgents } from './shown-agents.ts';

const NOW = new Date('2026-01-01T12:00:10Z');
const later = (ms: number): Date => new Date(NOW.getTime() + ms);
const place: RosterPlace = {
  facts: undefined,
  mailbox: undefined,
  glance: () => undefined,
  again: () => {
    throw new Error('not expected here');
  },
};
const agent = (over: Partial<RosterAgent> = {}): RosterAgent => ({
  name: 'ana',
  short_name: 'ana',
  called: 'ana',
  project: { name: 'app', directory: '/src/app' },
  directory: '/src/app',
  branch: 'main',
  id: 'id-ana',
  tool: 'claude',
  host: 'here',
  state: 'idle',
  since: NOW.toISOString(),
  reason: 'idle',
  needs_you: null,
  open_mail: 0,
  wakes: null,
  needs: [],
  waiting_for: null,
  queue_depth: 0,
  gateway: 'live',
  origin: 'launched',
  paused: null,
  ...over,
});
const need = { words: 'a matter', needs_you: 'do it', since_utc: null };
const activity = { wakes: [], turns: [], lastTurnEndedAtUtc: null, doing: null };
const seen = (over: Partial<SeenAgent> = {}): SeenAgent => ({
  agent: agent(),
  place,
  activity,
  fleet: undefined,
  seenAt: undefined,
  ...over,
});

it('an unchanged agent stays the same object', () => {
  const shown = new ShownAgents();
  const facts = seen();
  shown.look(facts, NOW);
  const before = shown.all.get('id-ana');
  shown.look({ ...facts }, later(1000));
  expect(shown.all.get('id-ana')).toBe(before);
});

it('a new state makes a new row; a minute that passes does not', () => {
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

it('the chart of an idle agent is reported again every few minutes, until its hour is empty', () => {
  const shown = new ShownAgents();
  const facts = seen({ activity: { ...activity, wakes: [NOW.toISOString()] } });
  const signatures = new Set<string>();
  for (let minute = 0; minute <= 120; minute++) {
    shown.look(facts, later(minute * 60_000));
    signatures.add(shown.all.get('id-ana')!.signature);
  }
  // The minute itself, twelve steps of five, and none.
  expect(signatures.size).toBe(14);
});

it('a state that lasts becomes a need by time alone', () => {
  const shown = new ShownAgents();
  const facts = seen({
    agent: agent({
      state: 'needs_you',
      reason: 'a draft',
      needs_you: 'finish the draft',
      needs: [{ ...need, kind: 'other', needs_you: 'finish the draft', since_utc: NOW.toISOString() }],
    }),
  });
  shown.look(facts, later(500));
  expect(shown.all.get('id-ana')!.needs).toEqual([]);
  shown.look(facts, later(3000));
  const { needs } = shown.all.get('id-ana')!;
  expect(needs).toMatchObject([{ agent: 'ana', kind: 'other' }]);
  shown.look(facts, later(4000));
  expect(shown.all.get('id-ana')!.needs).toBe(needs);
});

it('queued requests are counted also while mail is held back', () => {
  const shown = new ShownAgents();
  shown.look(seen({ agent: agent({ waiting_for: "dialog='permission'", queue_depth: 3 }) }), NOW);
  expect(shown.all.get('id-ana')!.row).toMatchObject({
    reason: 'a dialog is open: permission',
    queue_depth: 3,
  });
});

it('each need is listed once, and a failed delivery until a person has opened the agent', () => {
  const failed = {
    ...need,
    kind: 'failed' as const,
    words: 'do it',
    needs_you: null,
    command: 'rouse why ana --request gwreq-1',
    since_utc: NOW.toISOString(),
    request: { request_id: 'gwreq-1', detail: 'it broke' },
  };
  const dialog = { ...need, kind: 'dialog' as const, here: 'it asks', says: 'asks for permission' };
  const shown = new ShownAgents();
  const asked = agent({ needs_you: 'it asks; answer in its window', needs: [dialog, failed] });
  shown.look(seen({ agent: asked }), later(1000));
  expect(shown.all.get('id-ana')!.needs).toMatchObject([
    {
      kind: 'dialog',
      why: 'ana asks for permission.',
      action: { label: 'Answer', command: 'rouse open ana' },
    },
    {
      kind: 'failed',
      why: '“do it” was not delivered to ana: it broke.',
      action: { command: failed.command },
    },
  ]);
  shown.look(seen({ agent: asked, seenAt: later(500).getTime() }), later(1000));
  expect(shown.all.get('id-ana')!.needs.map(({ kind }) => kind)).toEqual(['dialog']);
  shown.look(seen({ agent: asked }), later(25 * 3_600_000));
  expect(shown.all.get('id-ana')!.needs.map(({ kind }) => kind)).toEqual(['dialog']);
});

it('agents that are gone are forgotten', () => {
  const shown = new ShownAgents();
  shown.look(seen(), NOW);
  shown.keep(new Map());
  expect(shown.all.size).toBe(0);
});

it.each([
  [
    'lost',
    'running, no gateway: will not be woken',
    'its gateway is gone; "rouse host start" brings it back',
    'rouse host start',
  ],
  [
    'live',
    'gateway in trouble',
    'its gateway is in trouble: full; "rouse doctor" shows the free space',
    'rouse doctor',
  ],
] as const)(
  'a gateway that is %s and cannot wake needs you once, with the command that fixes it',
  (gateway, reason, needs_you, command) => {
    const shown = new ShownAgents();
    const needed = { ...need, kind: 'gateway_dead' as const, needs_you, command };
    const asks = { gateway, reason, needs_you, needs: [needed], state: 'needs_you' as const, since: null };
    shown.look(seen({ agent: agent(asks) }), NOW);
    const { row, needs } = shown.all.get('id-ana')!;
    expect(row.state).toBe('needs_you');
    expect(needs).toMatchObject([
      { kind: 'gateway_dead', why: expect.stringContaining(needs_you), action: { command } },
    ]);
  },
);

it('an agent whose gateway lost its keeper offers the command that fixes it', () => {
  const shown = new ShownAgents();
  const needs_you = 'its gateway has lost its keeper; "rouse host start" gives it another';
  const needs = [{ ...need, kind: 'other' as const, needs_you, command: 'rouse host start' }];
  shown.look(seen({ agent: agent({ needs_you, needs }) }), NOW);
  expect(shown.all.get('id-ana')!.needs).toMatchObject([
    { kind: 'other', action: { command: 'rouse host start' } },
  ]);
});
