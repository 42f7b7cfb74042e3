import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest, preview, refuseNul, requireOneLine } from './text.ts';

describe('text at the border', () => {
  it('with U+0000 is refused and the field named', () => {
    expect(() => refuseNul('a\u0000b', 'subject')).toThrow(/subject contains U\+0000/);
  });

  it('that is not one line is refused for header values', () => {
    for (const bad of ['a\nb', 'a\rb', 'a\tb', 'a\u2028b', 'a\u001b[0m', 'a\u0085b']) {
      expect(() => requireOneLine(bad, 're')).toThrow(/re must be one line/);
    }
    expect(requireOneLine('plain – ünïcode ✓', 're')).toBe('plain – ünïcode ✓');
  });
});

describe('a preview', () => {
  it('is never longer than asked and never holds a line break', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 4, max: 300 }), (text, max) => {
        const short = preview(text, max);
        expect([...short].length).toBeLessThanOrEqual(max);
        expect(short).not.toMatch(/[\r\n]/);
      }),
    );
  });
});

describe('suggestions', () => {
  it('offer what is near and nothing else', () => {
    expect(nearest('stauts', ['status', 'start', 'archive'])[0]).toBe('status');
    expect(nearest('zzz', ['status', 'start'])).toEqual([]);
  });
});
