import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Standing } from '../standing.ts';
import { WAIT_CONDITIONS, type WaitCondition } from '../words/notices/wait-conditions.ts';
import { codesOf } from '../words/table.ts';
import { type AgentEdges, edgesAfter, hasComeTrue, NO_EDGES, type WaitedFor } from './agent-edges.ts';

const standing = (state: Standing['state'], needs_you: string | null = null): Standing => ({
  state,
  words: state,
  needs_you: state === 'needs_you' ? 'look' : needs_you,
});
const STANDINGS = (['idle', 'working', 'waiting', 'needs_you', 'gone', 'unknown'] as const).map((state) =>
  standing(state),
);

const seenAs = ({ state, needs_you }: Standing, edges: AgentEdges): WaitedFor => ({
  state: state === 'unknown' ? 'starting' : state,
  needs_you: needs_you !== null,
  open_mail: 0,
  edges,
});

/** Written without counts: every standing since the wait began is looked at. */
function model(condition: WaitCondition, before: Standing[], since: Standing[]): boolean {
  const known = [...before, ...since].filter(({ state }) => state !== 'unknown');
  const last = before.filter(({ state }) => state !== 'unknown').at(-1);
  const first = last === undefined ? [] : [last];
  const later = [...first, ...since].filter(({ state }) => state !== 'unknown');
  switch (condition) {
    case 'idle':
    case 'gone':
      return later.some(({ state }) => state === condition);
    case 'needs-you':
      return later.some(({ needs_you }) => needs_you !== null);
    case 'mail':
      return false;
    case 'turn-ended': {
      const begun = inTurn(before);
      if (begun) return since.some(({ state }) => state === 'idle' || state === 'gone');
      return known.length > 0 && !inTurn([...before, ...since]);
    }
  }
}

function inTurn(standings: Standing[]): boolean {
  let turn = false;
  for (const { state } of standings) {
    if (state === 'working') turn = true;
    if (state === 'idle' || state === 'gone') turn = false;
  }
  return turn;
}

describe('edges of an agent', () => {
  it('what happened between two looks is not missed, and what did not happen is not seen: 10,000 edges against a model', () => {
    let edges = 0;
    const standings = fc.array(fc.constantFrom(...STANDINGS), { maxLength: 30 });
    fc.assert(
      fc.property(
        standings,
        standings,
        fc.constantFrom(...codesOf(WAIT_CONDITIONS)),
        (before, since, condition) => {
          const atBegin = before.reduce(edgesAfter, NO_EDGES);
          const now = since.reduce(edgesAfter, atBegin);
          edges += before.length + since.length;
          // A look shows the last standing that was reported; "unknown" shows the agent as no one knows it.
          const shownFirst = before.at(-1) ?? standing('unknown');
          const shownLast = since.at(-1) ?? shownFirst;
          const first = seenAs(shownFirst, atBegin);
          const level =
            hasComeTrue(condition, first, seenAs(shownLast, now)) || hasComeTrue(condition, first, first);
          const isBlind = shownFirst.state === 'unknown';
          if (!isBlind) expect(level).toBe(model(condition, before, since) || model(condition, before, []));
        },
      ),
      { numRuns: 1500 },
    );
    expect(edges).toBeGreaterThan(10_000);
  });

  it('a dialog in the middle of a turn does not end it', () => {
    const during = [standing('working'), standing('needs_you'), standing('working')].reduce(
      edgesAfter,
      NO_EDGES,
    );
    expect(during).toMatchObject({ turn_ended: 0, in_turn: true, needs_you: 1 });
    expect(edgesAfter(during, standing('idle'))).toMatchObject({ turn_ended: 1, in_turn: false, idle: 1 });
  });

  it('a restart of the gateway neither ends a turn nor begins one', () => {
    const before = edgesAfter(NO_EDGES, standing('working'));
    expect(edgesAfter(edgesAfter(before, standing('unknown')), standing('working'))).toEqual(before);
  });
});
