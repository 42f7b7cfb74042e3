import { describe, expect, it } from 'vitest';
import { noncesOf, planOf } from './directives.ts';
import { durationMs } from './duration.ts';

const defaults = { turnMs: 300, words: 0 };

describe('directives in a prompt', () => {
  it('directives set the turn of their prompt', () => {
    const plan = planOf(
      'do [[turn=800ms]] [[delay=100ms]] [[words=40]] [[dialog=permission]] [[ask]] [[menu]] [[sh=touch x]] [[limit]]',
      defaults,
    );
    expect(plan).toMatchObject({
      turnMs: 800,
      delayMs: 100,
      words: 40,
      dialogs: ['permission', 'question', 'menu'],
      shell: ['touch x'],
      limit: true,
    });
  });

  it.each([
    ['[[crash]]', { kind: 'crash', dirty: false }],
    ['[[crash=dirty]]', { kind: 'crash', dirty: true }],
    ['[[hang]]', { kind: 'hang' }],
    ['[[exit=7]]', { kind: 'exit', code: 7 }],
    ['nothing', { kind: 'normal' }],
  ])('the directive %s ends the turn as written', (prompt, ending) => {
    expect(planOf(prompt, defaults).ending).toEqual(ending);
  });

  it.each([
    '[[turn=soon]]',
    '[[turn=-1]]',
    '[[words=many]]',
    '[[dialog=nope]]',
    '[[unknown=1]]',
    '[turn=9s]',
    '[[turn=9s',
  ])('a directive that is not well formed is text: %s', (prompt) => {
    expect(planOf(prompt, defaults)).toEqual(planOf('', defaults));
  });

  it('every nonce of a prompt is found, in order', () => {
    expect(noncesOf('a ⟦rouse:1f⟧ b [[nonce=x-2]] c ⟦rouse:⟧')).toEqual(['1f', 'x-2']);
  });

  it.each([
    ['800ms', 800],
    ['2s', 2000],
    ['1.5s', 1500],
    ['1m', 60_000],
    ['250', 250],
    ['', undefined],
    ['-1s', undefined],
    ['25000m', undefined],
    ['1 s', undefined],
  ])('the duration %j is parsed', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});
