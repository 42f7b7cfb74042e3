import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ring } from './ring.ts';

describe('a ring', () => {
  it('keeps the newest, oldest first, and no more than it may', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 12 }),
        (capacity, items, most) => {
          const ring = new Ring<number>(capacity);
          for (const item of items) ring.add(item);
          const kept = items.slice(-capacity);
          expect(ring.last()).toEqual(kept);
          expect(ring.last(most)).toEqual(kept.slice(-most));
          expect(ring.newest).toBe(items.at(-1));
          expect(ring.size).toBe(kept.length);
        },
      ),
    );
  });
});
