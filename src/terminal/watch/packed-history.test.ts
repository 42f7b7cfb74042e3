import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PackedHistory, pack } from './packed-history.ts';

it('a packed history returns the newest records in order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 130 }),
      fc.integer({ min: 0, max: 300 }),
      fc.integer({ min: 1, max: 200 }),
      (kept, added, asked) => {
        const history = new PackedHistory<{ at: number; text: string }>(kept);
        const all = Array.from({ length: added }, (_, at) => ({ at, text: `screen ${at} – ünïcode 🙂` }));
        for (const each of all) history.add(each);
        expect(history.last()).toEqual(all.slice(-kept));
        expect(history.last(asked)).toEqual(all.slice(-Math.min(asked, kept)));
      },
    ),
  );
});

it('a packed history uses no more memory than its packed bytes', () => {
  const packed = pack(Array.from({ length: 20 }, (_, at) => ({ at, text: 'a screen '.repeat(500) })));
  expect(packed.byteLength).toBeLessThan(2000);
  expect(packed.buffer.byteLength).toBe(packed.byteLength);
});
