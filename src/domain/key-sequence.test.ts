import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ensureTrailingEnter, KEY_NAMES, type KeySegment, parseKeySequence } from './key-sequence.ts';

const lit = (text: string): KeySegment => ({ kind: 'literal', text });
const key = (name: (typeof KEY_NAMES)[number]): KeySegment => ({ kind: 'key', key: name });

it.each<[string, KeySegment[]]>([
  ['<[Escape]>', [key('Escape')]],
  ['/model<[Enter]><[Down]>', [lit('/model'), key('Enter'), key('Down')]],
  ['<[C-u]>new text<[Enter]>', [key('C-u'), lit('new text'), key('Enter')]],
  ['<[<[Enter]>', [lit('<['), key('Enter')]],
  ['<[Enter]>]>', [key('Enter'), lit(']>')]],
  ['<[ Enter ]>', [lit('<[ Enter ]>')]],
  ['<[En ter]>', [lit('<[En ter]>')]],
  ['<[]>', [lit('<[]>')]],
  ['<[Enter>', [lit('<[Enter>')]],
  ['[Enter]', [lit('[Enter]')]],
  ['<Enter>', [lit('<Enter>')]],
  ['<[En\u00a0ter]>', [lit('<[En\u00a0ter]>')]],
  ['line\n<[Tab]>', [lit('line\n'), key('Tab')]],
])('%j is read as the exact grammar says', (sequence, segments) => {
  expect(parseKeySequence(sequence)).toEqual(segments);
});

it.each(['<[escape]>', '<[ENTER]>', '<[C-x]>', '<[F1]>', '<[Enter,Up]>', '<[\u{1f642}]>', 'ok<[Up]><[up]>'])(
  '%j holds an unknown key and is refused with the token and the sorted list of keys',
  (sequence) => {
    const token = /<\[(?!Up\]>)[^\]]+\]>/.exec(sequence)![0];
    expect(() => parseKeySequence(sequence)).toThrow(`unknown key token "${token}"`);
    expect(() => parseKeySequence(sequence)).toThrow([...KEY_NAMES].sort().join(', '));
  },
);

it('an empty sequence is refused, escaped or not', () => {
  expect(() => parseKeySequence('')).toThrow('must not be empty');
  expect(() => parseKeySequence('', true)).toThrow('must not be empty');
});

it('an unknown token is quoted only in part, however long it is', () => {
  const error = (() => {
    try {
      return parseKeySequence(`<[${'x'.repeat(100_000)}]>`);
    } catch (caught) {
      return caught as Error;
    }
  })() as Error;
  expect(error.message.length).toBeLessThan(300);
});

const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

it.each(['\u001b', 'hello<[Enter]>bad\u001bx', 'a\rb', '\u0007', '\u007f', '\u009b2J', '\u0000'])(
  '%j holds a control character and is refused whole, escaped or not',
  (sequence) => {
    expect(() => parseKeySequence(sequence)).toThrow(/control character U\+00/);
    expect(() => parseKeySequence(sequence, true)).toThrow(/control character U\+00/);
  },
);

const text = fc.string({ unit: 'binary', minLength: 1 }).filter((value) => !CONTROL.test(value));
const tricky = fc.array(fc.constantFrom('<', '[', ']', '>', '<[', ']>', 'Enter', ' ', 'a', '\n'), {
  minLength: 1,
});
const literal = fc
  .oneof(
    text,
    tricky.map((parts) => parts.join('')),
  )
  .filter((value) => !/<\[[^\s<>[\]]+\]>/u.test(value));

it('with escape_special_keys the whole string is literal', () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(parseKeySequence(value, true)).toEqual([lit(value)]);
    }),
  );
  expect(parseKeySequence('<[nonsense]>', true)).toEqual([lit('<[nonsense]>')]);
});

it('text without an exact token is untouched', () => {
  fc.assert(
    fc.property(literal, (value) => {
      expect(parseKeySequence(value)).toEqual([lit(value)]);
    }),
  );
});

it('parsing and rendering are inverse, and no two literals are adjacent', () => {
  const piece = fc.oneof(
    literal,
    fc.constantFrom(...KEY_NAMES).map((name) => `<[${name}]>`),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1 }).map((pieces) => pieces.join('')),
      (sequence) => {
        let segments: KeySegment[];
        try {
          segments = parseKeySequence(sequence);
        } catch {
          fc.pre(false);
          return;
        }
        const again = segments.map((part) => (part.kind === 'key' ? `<[${part.key}]>` : part.text));
        expect(again.join('')).toBe(sequence);
        for (let i = 1; i < segments.length; i++) {
          expect([segments[i - 1]!.kind, segments[i]!.kind]).not.toEqual(['literal', 'literal']);
        }
        expect(segments.every((each) => each.kind === 'key' || each.text !== '')).toBe(true);
      },
    ),
  );
});

it('every well-formed token is either a known key or refused', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => /^[^\s<>[\]]+$/u.test(value));
  fc.assert(
    fc.property(name, literal, (value, before) => {
      fc.pre(!before.includes('<') && !(KEY_NAMES as readonly string[]).includes(value));
      expect(() => parseKeySequence(`${before}<[${value}]>`)).toThrow(/unknown key token/);
    }),
  );
});

it.each([
  ['/status', '/status<[Enter]>'],
  ['/status<[Enter]>', '/status<[Enter]>'],
  ['/status<[Enter]><[Enter]><[Enter]>', '/status<[Enter]>'],
  ['<[Enter]>', '<[Enter]>'],
  ['<[Enter]>x', '<[Enter]>x<[Enter]>'],
  ['x<[Enter]> ', 'x<[Enter]> <[Enter]>'],
  ['<[Escape]>', '<[Escape]><[Enter]>'],
])('ensure_enter makes %j end in exactly one Enter', (sequence, expected) => {
  expect(ensureTrailingEnter(sequence)).toBe(expected);
});

it('ensure_enter changes nothing the second time', () => {
  fc.assert(
    fc.property(text, fc.nat(3), (value, enters) => {
      const once = ensureTrailingEnter(value + '<[Enter]>'.repeat(enters));
      expect(ensureTrailingEnter(once)).toBe(once);
      expect(once.endsWith('<[Enter]><[Enter]>')).toBe(false);
    }),
  );
});
