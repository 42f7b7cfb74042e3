import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { charWidth, textColumns } from '../../base/index.ts';
import { clip, padded, shown, wrap, wrapWords } from './cells.ts';

const text = fc.string({ unit: 'binary', maxLength: 120 });
const width = fc.integer({ min: 2, max: 60 });

describe('text on the grid', () => {
  it('text wraps into rows of the given width, losing nothing', () => {
    fc.assert(
      fc.property(text, width, (raw, columns) => {
        const visible = shown(raw);
        const { rows } = wrap(visible, columns);
        for (const row of rows) expect(textColumns(row)).toBeLessThanOrEqual(columns);
        expect(rows.join('')).toBe(visible.replaceAll('\n', ''));
      }),
    );
  });

  it('wrapping finds the row and column of the cursor', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), width, fc.nat(), (raw, columns, place) => {
        const visible = shown(raw);
        const cursor = place % (visible.length + 1);
        const { rows, cursor: at } = wrap(visible, columns, cursor);
        expect(at.row).toBeLessThan(rows.length);
        expect(at.column).toBeLessThanOrEqual(textColumns(rows[at.row]!));
      }),
    );
  });

  it('no control character reaches the terminal', () => {
    fc.assert(
      fc.property(text, (raw) => {
        expect(shown(raw)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      }),
    );
    expect(shown('\u001b[31m\u0007')).toBe('␛[31m␇');
  });

  it('wide and combining characters have their widths', () => {
    expect([...'a\u0301漢😀'].map(charWidth)).toEqual([1, 0, 2, 2]);
    expect(clip('漢字', 3)).toBe('漢');
    expect(padded('漢', 4)).toBe('漢  ');
  });

  it('answers wrap at spaces', () => {
    expect(wrapWords('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrapWords('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  });
});
