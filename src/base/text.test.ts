import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearest, preview, refuseNul, requireOneLine } from './text.ts';

describe('text at SQLite values:', () => {
  it('text with U+0000 is refused, and the field is named', () => {
    expect(() => refuseNul('a\u0000b', 'subject')).toThrow(/subject contains U\+0000/);
  });

  it('text of several lines is refused for header values', () => {
    for (const bad of ['a\nb', 'a\rb', 'a\tb', 'a\u2028b', 'a\u001b[0m', 'a\u0085b']) {
      expect(() => requireOneLine(bad, 're')).toThrow(/re must be one line/);
    }
    expect(requireOneLine('plain – ünïcode ✓', 're')).toBe('plain – ünïcode ✓');
  });
});

describe('a preview', () => {
  it('a preview is never longer than asked and never holds a line break', () => {
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
  it('suggestions are near the typed word, and nothing else is suggested', () => {
    expect(nearest('stauts', ['status', 'start', 'archive'])[0]).toBe('status');
    expect(nearest('zzz', ['status', 'start'])).toEqual([]);
    expect(nearest('sta', ['status', 'start', 'archive'])).toEqual(['start', 'status']);
    expect(nearest('Ana@x', ['ana@x', 'ben@x'])).toEqual(['ana@x']);
  });

  it('a word too long for a typo gets no suggestions', () => {
    const long = 'a'.repeat(4_000_000);
    expect(nearest(long, [long, 'aaaa'])).toEqual([]);
    expect(nearest('aaaa', [long])).toEqual([long]);
  });

  it('the distance of suggestions equals a plain count of the steps', () => {
    const words = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 7 })
      .map((letters) => letters.join(''));
    fc.assert(
      fc.property(words, words, (typed, candidate) => {
        const limit = Math.max(2, Math.floor(typed.length / 3));
        const near = candidate.startsWith(typed) || steps(typed, candidate) <= limit;
        expect(nearest(typed, [candidate])).toEqual(near ? [candidate] : []);
      }),
    );
  });
});

/** Insertions, deletions, replacements and swapped neighbours, tried one by one. */
function steps(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const rest = Math.min(
    steps(a.slice(1), b) + 1,
    steps(a, b.slice(1)) + 1,
    steps(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  );
  const swapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return swapped ? Math.min(rest, steps(a.slice(2), b.slice(2)) + 1) : rest;
}
