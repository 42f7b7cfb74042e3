import { expect, it } from 'vitest';
import { createLog, systemClock } from '../../base/index.ts';
import { isTrue, positiveSeconds } from './settings.ts';

function reading() {
  const lines: string[] = [];
  return { lines, log: createLog({ clock: systemClock, write: (line) => lines.push(line) }) };
}

it.each([
  [undefined, 60, 0],
  ['', 60, 0],
  [' 90 ', 90, 0],
  ['+5', 5, 0],
  ['60', 60, 0],
  ['0', 60, 1],
  ['-1', 60, 1],
  ['1.5', 60, 1],
  ['10m', 60, 1],
  [String(367 * 24 * 3600), 60, 1],
])('the seconds %j are %s, with %s warnings', (text, value, warnings) => {
  const { lines, log } = reading();
  const env = { SECONDS: text };
  expect(positiveSeconds(env, 'SECONDS', { fallback: 60, log })).toBe(value);
  expect(lines).toHaveLength(warnings);
});

it.each([
  ['true', true, 0],
  [' TRUE ', true, 0],
  ['false', false, 0],
  [undefined, false, 0],
  ['yes', false, 1],
  ['1', false, 1],
])('the switch %j is %s, with %s warnings', (text, value, warnings) => {
  const { lines, log } = reading();
  expect(isTrue({ SWITCH: text }, 'SWITCH', log)).toBe(value);
  expect(lines).toHaveLength(warnings);
});
