import { expect, it } from 'vitest';
import type { Received } from '../model/mock-model.ts';
import { timesOf } from './round-proof.ts';

const WAKE = 'You have open mail in your shared mailbox.';
const answer = (prompt: string, results: number, at: number, tookMs: number): Received =>
  ({ prompt, results, at, tookMs, side: false }) as Received;

it('time in which the model answers both agents is its own once', () => {
  const log = [
    answer('ask for plum', 0, 0, 10),
    answer('ask for plum', 1, 100, 50),
    answer(WAKE, 0, 200, 100),
    answer('ask for plum', 2, 250, 100),
    answer(WAKE, 1, 400, 10),
    answer(WAKE, 4, 1000, 10),
  ];
  expect(timesOf(log, 'plum')).toEqual({ tookMs: 900, modelMs: 160 });
});
