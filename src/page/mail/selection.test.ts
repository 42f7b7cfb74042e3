import { expect, it } from 'vitest';
import { between } from './selection.ts';

it('shift chooses all rows between two, in both directions', () => {
  const keys = ['a', 'b', 'c', 'd'];
  expect(between(keys, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(between(keys, 'd', 'b')).toEqual(['b', 'c', 'd']);
  expect(between(keys, undefined, 'c')).toEqual(['c']);
  expect(between(keys, 'gone', 'c')).toEqual(['c']);
  expect(between(keys, 'a', 'gone')).toEqual([]);
});
