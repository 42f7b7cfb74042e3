import { describe, expect, it } from 'vitest';
import type { KeptState } from './kept-state.ts';
import { laneOf } from './lanes.ts';

const states = (...changes: [at: number, state: KeptState['state']][]): KeptState[] =>
  changes.map(([at_ms, state]) => ({ at_ms, state, words: state, reason: null }));
const drawn = (kept: KeptState[], cells = 10, toMs = 1000): string => {
  const line = Array.from({ length: cells }, () => '.');
  for (const span of laneOf(kept, { fromMs: 0, toMs, cells }))
    for (let cell = span.from; cell < span.from + span.cells; cell++) line[cell] = span.state[0]!;
  return line.join('');
};

describe('lanes', () => {
  it('a lane begins with the first known state and shows each for as long as it lasted', () => {
    expect(drawn(states([200, 'idle'], [500, 'working'], [900, 'gone']))).toBe('..iiiwwwwg');
    expect(drawn(states([-500, 'idle'], [100, 'working']))).toBe('iwwwwwwwww');
    expect(drawn([])).toBe('..........');
  });

  it('a cell shows the state that filled most of it, and a person who was needed is seen', () => {
    expect(drawn(states([0, 'idle'], [120, 'working'], [180, 'idle']))).toBe('iwiiiiiiii');
    expect(drawn(states([0, 'idle'], [120, 'working'], [160, 'idle']))).toBe('iiiiiiiiii');
    expect(drawn(states([0, 'idle'], [120, 'needs_you'], [150, 'idle']))).toBe('iniiiiiiii');
  });

  it('a lane has at most one span per cell, however often the state changed', () => {
    const busy = states(
      ...Array.from({ length: 5000 }, (_, n): [number, KeptState['state']] => [
        n,
        n % 2 ? 'idle' : 'working',
      ]),
    );
    const spans = laneOf(busy, { fromMs: 0, toMs: 5000, cells: 50 });
    expect(spans.length).toBeLessThanOrEqual(50);
    expect(spans.reduce((sum, { cells }) => sum + cells, 0)).toBe(50);
  });

  it('states at the same time and a state that begins at the end add no cell', () => {
    expect(drawn(states([0, 'idle'], [500, 'working'], [500, 'gone'], [1000, 'idle']))).toBe('iiiiiggggg');
  });
});
