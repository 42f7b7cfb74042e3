import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseQuery, understood } from './parse-query.ts';

const EMPTY = { words: [], from: [], to: [], state: [], before: undefined, after: undefined };

it.each([
  ['', EMPTY],
  ['red apples', { ...EMPTY, words: ['red', 'apples'] }],
  ['"red apples" pie', { ...EMPTY, words: ['red apples', 'pie'] }],
  ['from:Ana TO:ben state:Idle', { ...EMPTY, from: ['ana'], to: ['ben'], state: ['idle'] }],
  ['before:2026-01-31', { ...EMPTY, before: '2026-01-31T00:00:00.000Z' }],
  ['after:2026-01-31T08:30Z', { ...EMPTY, after: '2026-01-31T08:30:00.000Z' }],
  ['before:soon', { ...EMPTY, words: ['before:soon'] }],
  ['color:red from:', { ...EMPTY, words: ['color:red', 'from:'] }],
  ['"from:ana"', { ...EMPTY, words: ['from:ana'] }],
  ['"" " "', EMPTY],
])('the search %j is parsed as %j', (text, query) => {
  expect(parseQuery(text)).toEqual(query);
});

it('every search text can be parsed and explained', () => {
  fc.assert(fc.property(fc.string(), (text) => void understood(parseQuery(text))));
});

it('the explanation of a search names words, people, states and times', () => {
  expect(understood(parseQuery(''))).toBe('everything');
  expect(understood(parseQuery('a "b c" from:ana from:ben state:idle after:2026-01-31'))).toBe(
    '“a” “b c”, from ana, ben, in state idle, after 2026-01-31T00:00Z',
  );
});
