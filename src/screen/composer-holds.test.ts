import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composerHolds } from './composer-holds.ts';
import { claude } from './detectors/claude.ts';

const rules = claude.input;

describe('what a composer holds', () => {
  it('is exactly what was sent, however it is wrapped', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]+( [a-z]+){0,20}$/),
        fc.integer({ min: 4, max: 30 }),
        (sent, width) => {
          const wrapped = sent.match(new RegExp(`.{1,${width}}`, 'g'))?.join('\n') ?? '';
          expect(composerHolds(wrapped, sent, rules)).toBe('exactly');
        },
      ),
    );
  });

  it.each([
    ['', 'anything', 'nothing'],
    ['[Pasted text #1 +59 lines]', 'long text', 'chip'],
    ['a person wrote this first and then came: hello', 'hello', 'other'],
    ['hello', 'hello world', 'other'],
    ['the last rows of a long prompt', 'many rows, then the last rows of a long prompt', 'part'],
    ['a\tb', 'a    b', 'exactly'],
  ])('%j for %j is %s', (shown, sent, holds) => {
    expect(composerHolds(shown, sent, rules)).toBe(holds);
  });
});
