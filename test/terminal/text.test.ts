import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reasonTexts } from '../../src/domain/index.ts';
import type { DeliveryResult } from '../../src/terminal/index.ts';
import { preparePrompt } from '../../src/terminal/lane/prompt/prepare-prompt.ts';
import { detectorFor } from '../../src/tools/index.ts';
import { ScriptedWorld } from '../scripted/scripted-world.ts';
import { drawSeed } from '../support/draw-seed.ts';
import { inWords, proofReport } from '../support/proof-report.ts';
import { inPane, type TestPane } from './test-pane.ts';

/**
 * Text that terminals, tools and people treat differently, typed into a real terminal: each prompt is submitted once, exactly
 * as the ledger records the paste, or refused with nothing typed. None is left in the composer.
 */
const FULL = process.env['ROUSE_PROOF'] === 'full';
const SEED = drawSeed();
const RUNS = FULL ? 400 : 24;

let world: ScriptedWorld;
beforeAll(async () => {
  world = await ScriptedWorld.open();
});
afterAll(() => world.close());

const MARKS = ['\u0301', '\u0308', '\u20dd', '\u0903', '\u094d', '\ufe0f', '\u034f', '\u1ab0'];
const FORMAT = [
  ...['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u180e', '\u061c', '\u200e', '\u200f'],
  ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069', '\u{e0041}'],
];
const BLANKS = [
  ' ',
  '  ',
  '\t',
  '\u00a0',
  '\u3000',
  '\u2003',
  '\u2028',
  '\u2029',
  '\u3164',
  '\u2800',
  '\u115f',
];
const SCRIPTS = [
  'a',
  'Ω',
  'ж',
  'א',
  'ب',
  'क',
  'ก',
  '漢',
  '한',
  '😀',
  '👩‍💻',
  '🇩🇪',
  'ﷺ',
  '𝔘',
  '\ue000',
  '\ufffd',
  '𞤀',
  '𐒰',
];

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9 .,;:]{1,12}$/) },
  { weight: 3, arbitrary: fc.constantFrom(...SCRIPTS) },
  { weight: 2, arbitrary: fc.constantFrom(...MARKS) },
  { weight: 2, arbitrary: fc.constantFrom(...FORMAT) },
  { weight: 2, arbitrary: fc.constantFrom(...BLANKS) },
  { weight: 2, arbitrary: fc.constantFrom('\n', '\n\n', '\r\n', '\n\n\n\n\n\n\n\n\n\n\n\n') },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }) },
);
const anyText = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join(''));

/** Retries like a dispatcher: if the screen moved at the instant of typing, nothing was typed. */
async function delivered(pane: TestPane, text: string): Promise<DeliveryResult> {
  for (;;) {
    const result = await pane.surface.deliver(pane.prompt(text));
    if (result.outcome !== 'not_ready' || !result.untouched) return result;
    await pane.ready();
  }
}

async function arrivesOrIsRefused(pane: TestPane, text: string): Promise<string> {
  await pane.ready();
  const before = pane.records('submitted', 'command', 'shell_command').length;
  const result = await delivered(pane, text);
  const context = JSON.stringify({ text, result });
  const received = pane.records('submitted', 'command', 'shell_command').slice(before);
  if (result.outcome === 'submitted') {
    const { text: pasted } = preparePrompt(text, detectorFor('scripted').input);
    expect(
      received.map((record) => record['text'] ?? record['command'] ?? record['name']),
      context,
    ).toEqual([pasted]);
  } else {
    expect([result.outcome, result.untouched], context).toEqual(['refused', true]);
    expect(reasonTexts(result.reasons).join(), context).not.toBe('');
    expect(received, context).toEqual([]);
  }
  const { draft } = (await pane.control.send('status')) as { draft: { bytes: number } };
  expect(draft.bytes, context).toBe(0);
  return result.outcome;
}

const KNOWN = {
  'a direction override at its beginning': '\u202ebidi',
  'a combining mark at its beginning': '\u0301accent',
  'a combining mark at the beginning of a line': 'first\n\u0308second',
  'an enclosing mark alone': '\u20dd',
  'only zero-width characters': '\u200b\u200d\u2060\ufeff',
  'a zero-width space inside a word': 'zero\u200bwidth',
  'thousands of line ends before its end': `xxxxx${'\n'.repeat(5000)}y`,
  'thousands of line ends behind it': `work${'\n'.repeat(5000)}`,
  'thousands of line ends before it': `${'\n'.repeat(5000)}work`,
  'thousands of short lines': Array.from({ length: 3000 }, (_, n) => String(n % 10)).join('\n'),
  'lines of blanks': 'a\n \n\t\n   \nb',
  'line and paragraph separators': 'one\u2028two\u2029three',
  'blanks that no trim takes away': '\u3164\u2800hello\u2800\u3164',
  'a character of private use': '\ue000 hello',
  'one emoji': '🙂',
  'hidden tags': 'hello\u{e0068}\u{e0069}',
};

describe('a prompt with', () => {
  it.each(Object.entries(KNOWN))('%s is submitted as it was pasted, or refused', (_what, text) =>
    inPane(world, async (pane) => void (await arrivesOrIsRefused(pane, text))),
  );

  it(`any Unicode (${RUNS} prompts) is submitted as it was pasted, or refused with nothing typed`, () =>
    inPane(world, async (pane) => {
      const outcomes: Record<string, number> = {};
      const failures: string[] = [];
      for (const text of fc.sample(anyText, { seed: SEED, numRuns: RUNS })) {
        try {
          const outcome = await arrivesOrIsRefused(pane, text);
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
        } catch (error) {
          failures.push(String(error).slice(0, 1000));
          await pane.control.send('draft', { text: '' });
        }
      }
      const sums = inWords({ ...outcomes, wrong: failures.length });
      console.log(`text: ${sums} (seed ${SEED})`);
      proofReport(`${RUNS} prompts of any Unicode: ${sums}`);
      expect(failures).toEqual([]);
      expect(outcomes['submitted']).toBeGreaterThan(RUNS / 2);
    }));
});
