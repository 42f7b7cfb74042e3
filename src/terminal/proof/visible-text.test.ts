import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.ts';

/** Any characters, and some that have a meaning next to each other. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(...' \t\n\u0301\u200d\u200c\u2028\ufe0f\u00ada!/\u202e'),
    maxLength: 12,
  }),
);

describe('the text of a prompt', () => {
  it.each([
    ['plain words\n\nand lines\n', 'plain words\n\nand lines\n', []],
    ['👩‍💻 می‌خواهم क्‍ष ❤️', '👩‍💻 می‌خواهم क्‍ष ❤️', []],
    ['\u202eevil\u2069 z\u200bw', 'evil zw', ['invisible_characters_removed']],
    ['hi\u{e0068}\u{e0069}\u00ad\ufeff', 'hi', ['invisible_characters_removed']],
    ['\u200d a\u200d b', 'a b', ['invisible_characters_removed', 'leading_blanks_removed']],
    ['\u0301a\n\u0308\u200db', 'a\nb', ['leading_marks_removed']],
    ['one\u2028two', 'one\ntwo', ['line_ends_unified']],
    [' \n\t\n  x', 'x', ['leading_blanks_removed']],
    ['\t\u0301x', 'x', ['leading_blanks_removed']],
    [' \u0301 \u0308\u200dx\u0301', 'x\u0301', ['leading_blanks_removed']],
    ['  !x', '  !x', []],
    [`a${'\n'.repeat(5000)}b\n \n\n`, `a${'\n'.repeat(21)}b`, ['blank_lines_removed']],
  ])('the prompt %j is pasted as %j', (original, text, changes) => {
    expect(visibleText(original)).toEqual({ text, changes });
  });

  it('a prompt that is already visible text is not changed', () => {
    void fc.assert(
      fc.property(anyText, (original) => {
        const { text } = visibleText(original);
        expect(visibleText(text)).toEqual({ text, changes: [] });
      }),
      { numRuns: 2000 },
    );
  });
});
