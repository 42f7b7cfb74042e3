import { describe, expect, it } from 'vitest';
import { resolveTimings } from '../../domain/index.ts';
import { type Facts, NO_TURN, type TurnState } from '../../screen/index.ts';
import { nextDeadline } from './next-deadline.ts';

const CALM = { busy: { value: 'no', doubtful: false, ageMs: 0 } } as unknown as Facts;
const due = (turn: Partial<TurnState>, nowMs: number, facts = CALM): number | undefined =>
  nextDeadline({ ...NO_TURN, ...turn }, facts, nowMs, resolveTimings({}).timings);

describe('the next instant at which time alone changes the state', () => {
  it('there is no next deadline if nothing is pending', () => {
    expect(due({}, 5000)).toBeUndefined();
    expect(due({ stability: { signature: 'a', sinceMs: 0, sinceUtc: null } }, 60_000)).toBeUndefined();
  });

  it('the next deadline is when the screen will have been still for long enough', () => {
    expect(due({ stability: { signature: 'a', sinceMs: 1000, sinceUtc: null } }, 1400)).toBe(600);
  });

  it('the next deadline is the earliest of several', () => {
    const stability = { signature: 'a', sinceMs: 1000, sinceUtc: null };
    expect(due({ stability, settling: { signature: 'a', sinceMs: 800 } }, 1400)).toBe(400);
    expect(due({ unreadableSinceMs: 0 }, 29_000)).toBe(1000);
  });

  it('a start whose end was never reported has a deadline', () => {
    const doubtful = { busy: { value: 'yes', doubtful: true, ageMs: 2000 } } as unknown as Facts;
    expect(due({ stability: { signature: 'a', sinceMs: 0, sinceUtc: null } }, 10_000, doubtful)).toBe(3000);
  });
});
