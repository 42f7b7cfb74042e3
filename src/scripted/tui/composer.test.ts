import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Composer } from './composer.ts';

type Step =
  | { do: 'insert'; text: string }
  | { do: 'backspace' | 'delete' | 'left' | 'right' | 'home' | 'end' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), text: fc.string({ unit: 'grapheme', maxLength: 4 }) }),
  fc.record({
    do: fc.constantFrom('backspace', 'delete', 'left', 'right', 'home', 'end'),
  }) as fc.Arbitrary<Step>,
);

/** The simplest editor: text before the cursor, text behind it. */
function model(steps: Step[]): string {
  let before: string[] = [];
  let behind: string[] = [];
  const toBehind = (from: number): void => {
    behind = [...before.slice(from), ...behind];
    before = before.slice(0, from);
  };
  for (const each of steps) {
    const lineEnd = behind.indexOf('\n') < 0 ? behind.length : behind.indexOf('\n');
    if (each.do === 'insert') before.push(...each.text);
    else if (each.do === 'backspace') before.pop();
    else if (each.do === 'delete') behind.shift();
    else if (each.do === 'left') toBehind(Math.max(0, before.length - 1));
    else if (each.do === 'home') toBehind(before.lastIndexOf('\n') + 1);
    else {
      const moved = each.do === 'right' ? Math.min(1, behind.length) : lineEnd;
      before.push(...behind.splice(0, moved));
    }
  }
  return [...before, '|', ...behind].join('');
}

describe('the composer', () => {
  it('the composer edits like the simplest editor', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const composer = new Composer();
        for (const each of steps) {
          if (each.do === 'insert') composer.insert(each.text, 'typed');
          else composer[each.do]();
        }
        const { text, cursor } = composer.view;
        expect(`${text.slice(0, cursor)}|${text.slice(cursor)}`).toBe(model(steps));
        expect(composer.text).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  it('the composer shows a long paste as its label and sends it whole', () => {
    const composer = new Composer();
    const pasted = Array.from({ length: 61 }, (_, index) => `line ${index}`).join('\n');
    composer.insert('see ', 'typed');
    composer.insertCollapsed(pasted, '[Pasted text #{n} +{lines} lines]', 'pasted');
    expect(composer.view.text).toBe('see [Pasted text #1 +60 lines]');
    expect(composer.text).toBe(`see ${pasted}`);
    expect(composer.how).toBe('mixed');
    composer.backspace();
    expect(composer.text).toBe('see ');
  });

  it('the composer forgets where text came from once it is empty', () => {
    const composer = new Composer();
    composer.insert('typed', 'typed');
    composer.clear();
    composer.insert('pasted', 'pasted');
    expect(composer.how).toBe('pasted');
  });

  it('Ctrl-U clears the line before the cursor and nothing else', () => {
    const composer = new Composer();
    composer.insert('one\ntwo three', 'typed');
    for (let i = 0; i < 5; i++) composer.left();
    composer.deleteToLineStart();
    expect(composer.text).toBe('one\nthree');
  });

  it('the composer moves between lines, and reports when there is none', () => {
    const composer = new Composer();
    composer.insert('abc\nde', 'typed');
    expect(composer.up()).toBe(true);
    composer.insert('X', 'typed');
    expect(composer.text).toBe('abXc\nde');
    expect(composer.up()).toBe(false);
    expect(composer.down()).toBe(true);
    expect(composer.down()).toBe(false);
  });
});
