import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../screen/index.ts';
import { detectorFor } from '../../tools/index.ts';
import { essence, type Held, heldText } from './held-text.ts';

const rules = detectorFor('claude').input;

/** Facts in which only the composer matters. */
function showing(text: string, state = text === '' ? 'empty' : 'draft', mode = 'prompt'): Facts {
  const region = { first: 0, last: 0, textColumn: 2, right: 80 };
  return {
    composer: { value: { text, state, mode, region }, source: 'screen', ageMs: 0 },
  } as unknown as Facts;
}

const LONG = `${'x'.repeat(30)} and then a very long end of the text`;

describe('the text in a composer', () => {
  it.each<[string, string, string, Held]>([
    ['the same words', 'hello there', 'hello there', 'all'],
    ['the same words, wrapped', 'hello\nthere', 'hello there', 'all'],
    ['the same words, tabs as spaces', 'a    b', 'a\tb', 'all'],
    ['another person’s words', 'hello', 'hello there', 'other'],
    ['words before ours', 'oh hello there', 'hello there', 'other'],
    ['words behind ours', 'hello there!', 'hello there', 'other'],
    ['the end of a long text', 'a very long end of the text', LONG, 'end'],
    ['the beginning of a long text', LONG.slice(0, 40), LONG, 'other'],
    ['too short an end', 'of the text', LONG, 'other'],
    ['the last of many short lines', '\n\n3\ny', `x${'\n'.repeat(30)}3\ny`, 'end'],
    ['other short lines', '\n\n4\ny', `x${'\n'.repeat(30)}3\ny`, 'other'],
    ['too few short lines', '\n3\ny', `x${'\n'.repeat(30)}3\ny`, 'other'],
    ['all but characters a terminal may not know', 'Adlam  here', 'Adlam 𞤀 here 🫩', 'all'],
    ['the label of a paste', '[Pasted text #2 +59 lines]', 'a\nb', 'chip'],
    ['a label and something else', '[Pasted text #2 +59 lines] x', 'a\nb', 'other'],
    ['nothing', '', 'hello', 'empty'],
  ])('%s', (_what, shown, sent, held) => {
    expect(heldText(showing(shown), sent, rules)).toBe(held);
  });

  it('a composer with a placeholder is empty, and a shell prompt or a screen without a composer is none', () => {
    expect(heldText(showing('Try "fix lint"', 'placeholder'), 'x', rules)).toBe('empty');
    expect(heldText(showing('ls', 'draft', 'shell'), 'ls', rules)).toBe('none');
    const none = { composer: { value: null } } as unknown as Facts;
    expect(heldText(none, 'x', rules)).toBe('none');
  });

  it('the text in a composer is recognised wherever the terminal breaks its lines', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', minLength: 1 }),
        fc.integer({ min: 1, max: 12 }),
        (text, width) => {
          const points = [...text];
          const rows: string[] = [];
          for (let at = 0; at < points.length; at += width) rows.push(points.slice(at, at + width).join(''));
          expect(essence(rows.join('\n'))).toBe(essence(text));
        },
      ),
    );
  });
});
