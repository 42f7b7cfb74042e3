import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textColumns } from '../../base/index.ts';
import { wrapText } from './wrap-text.ts';

describe('wrapped text', () => {
  it('wrapped text is broken between words, and further lines are indented', () => {
    expect(wrapText('one two three four', { width: 9, indent: '  ' })).toEqual([
      'one two',
      '  three',
      '  four',
    ]);
    expect(wrapText('', { width: 9, indent: '  ' })).toEqual(['']);
    expect(wrapText('\u001b[1mone\u001b[0m two', { width: 7, indent: '' })).toEqual([
      '\u001b[1mone\u001b[0m two',
    ]);
  });

  it('wrapped text never exceeds the width, and loses no word', () => {
    const words = fc.array(fc.stringMatching(/^[a-zé漢]{1,30}$/), { maxLength: 30 });
    fc.assert(
      fc.property(words, fc.integer({ min: 10, max: 60 }), (all, width) => {
        const lines = wrapText(all.join(' '), { width, indent: '  ' });
        for (const line of lines) expect(textColumns(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(all.join(''));
      }),
    );
  });
});
