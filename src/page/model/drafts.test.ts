import { expect, it } from 'vitest';
import { bounded, NO_DRAFT } from './drafts.ts';

const draft = (text: string, at: number) => ({ ...NO_DRAFT, text, at });

it('the newest drafts are kept, as many as fit, and empty ones are not', () => {
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`k${n}`, draft(`text ${n}`, n)]));
  const kept = Object.keys(bounded({ ...many, empty: draft('', 1000) }));
  expect(kept).toHaveLength(40);
  expect(kept).toContain('k59');
  expect(kept).not.toContain('k19');
  expect(kept).not.toContain('empty');
});

it('a draft that is too long is not stored in part, and all together have a limit', () => {
  expect(bounded({ long: draft('x'.repeat(100_001), 1) })).toEqual({});
  const large = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [`k${n}`, draft('x'.repeat(90_000), n)]),
  );
  expect(Object.keys(bounded(large))).toEqual(['k5', 'k4', 'k3', 'k2']);
});
