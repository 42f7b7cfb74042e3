import { describe, expect, it } from 'vitest';
import { loadFixtures } from '../../../test/screen/captured-fixtures.ts';
import { Row, type Screen } from '../../screen/index.ts';
import { detectorFor } from '../../tools/index.ts';
import { findPrompt, isNewPrompt } from './prompt-rows.ts';

const plainRow = (text: string): Row => new Row([...text], []);
const opencode = detectorFor('opencode', { version: '1.18.33' });

function screenOf(name: string): Screen {
  return loadFixtures().find((fixture) => fixture.name === name)!.capture.screen;
}

describe('a prompt in the transcript of a tool that frames it', () => {
  const screen = screenOf('opencode-1.18.33-completed-lines-120x40.ansi.txt');

  it('a framed prompt is found with the blank rows between its lines', () => {
    const text = 'first\n\n  indented\n- point\nlast';
    const found = findPrompt(screen, opencode, { text, chip: '[Pasted ~5 lines]' });
    expect(found?.row).toBe('first');
    expect(found?.below[0]).toContain('MOCK-REPLY 14');
  });

  it('a framed prompt is distinguished from the same words sent before by the answer below', () => {
    const text = 'Say it again.';
    const second = findPrompt(screen, opencode, { text, chip: undefined });
    const first = findPrompt({ ...screen, rows: screen.rows.slice(0, 9) }, opencode, {
      text,
      chip: undefined,
    });
    expect(first?.below[0]).toContain('MOCK-REPLY 12');
    expect(second?.below[0]).toContain('MOCK-REPLY 13');
    expect(isNewPrompt(first, second)).toBe(true);
    expect(isNewPrompt(second, second)).toBeUndefined();
  });
});

describe('a prompt of which the tool shows only the beginning', () => {
  it('the beginning of a prompt is enough if the tool shows that it continues', () => {
    const rows = (...texts: string[]): Screen => ({
      ...screenOf('claude-2.1.197-busy-100x30.ansi.txt'),
      rows: texts.map(plainRow),
    });
    const claude = detectorFor('claude');
    const prompt = { text: `xx${'\n'.repeat(20)}y`, chip: undefined };
    expect(findPrompt(rows('❯ xx', '', '  … +19 lines', ''), claude, prompt)?.row).toBe('xx');
    expect(
      findPrompt(rows('❯ xx', '  😀', '  … +19 lines', ''), claude, {
        ...prompt,
        text: `xx\n😀${prompt.text}`,
      })?.row,
    ).toBe('xx');
    expect(findPrompt(rows('❯ xx', '', '  and something else', ''), claude, prompt)).toBeUndefined();
  });
});

describe('a prompt that the tool shows as Markdown', () => {
  const codex = detectorFor('codex', { version: '0.169.0' });
  const rows = (...texts: string[]): Screen => ({
    ...screenOf('codex-0.166.0-busy.ansi.txt'),
    rows: texts.map(plainRow),
  });
  const text = [
    'You have **open** mail in your shared mailbox.',
    '',
    '1) List it with `archived: false`.',
    '- GET http://127.0.0.1:29465/v1/mail/status',
    '* POST http://127.0.0.1:29465/v1/mail/list',
  ].join('\n');
  const end = [
    '  • GET http://127.0.0.1:29465/v1/mail/status',
    '',
    '  • POST http://127.0.0.1:29465/v1/mail/list',
  ];

  it('a prompt shown as Markdown is found by its words, whole or by its end', () => {
    const whole = rows(
      '› You have open mail in your shared mailbox.',
      '',
      '  1. List it with archived: false.',
      ...end,
    );
    expect(findPrompt(whole, codex, { text, chip: undefined })).toMatchObject({ times: 1, below: [] });
    expect(findPrompt(rows(...end, '', '• Done.'), codex, { text, chip: undefined })?.below).toEqual([
      '• Done.',
    ]);
  });

  it('a prompt is not found in the top row that names a turn scrolled out of view', () => {
    const named = rows('› You have open mail in your shared mailbox. 1) List it with …', '', '• Done.');
    expect(findPrompt(named, codex, { text, chip: undefined })).toBeUndefined();
  });

  it('a prompt with few words is compared character by character', () => {
    expect(findPrompt(rows('› - - - a'), codex, { text: '* * * a', chip: undefined })).toBeUndefined();
    expect(findPrompt(rows('› * * * a'), codex, { text: '* * * a', chip: undefined })?.times).toBe(1);
  });
});

describe('whether a prompt is new', () => {
  const shown = (below: string[], columns = 80) => ({ row: 'go on', below, columns, times: 1, height: 20 });

  it('a prompt is new if it was not shown before, or its old answer is not below it', () => {
    expect(isNewPrompt(undefined, undefined)).toBe(false);
    expect(isNewPrompt(undefined, shown([]))).toBe(true);
    expect(isNewPrompt(shown(['● done', '  hint']), shown(['  hint']))).toBe(true);
    expect(isNewPrompt(shown(['● done']), shown(['● done differently']))).toBe(true);
  });

  it('it is unknown whether a prompt is new if nothing changed, it had no answer, or its rows were wrapped again', () => {
    expect(isNewPrompt(shown(['● done']), shown(['● done']))).toBeUndefined();
    expect(isNewPrompt(shown([]), shown([]))).toBeUndefined();
    expect(
      isNewPrompt(shown(['● an answer of one row']), shown(['● an answer', 'of one row'], 12)),
    ).toBeUndefined();
  });
});

describe('a prompt in the transcript of a tool that writes the time beside it', () => {
  it.each(['120x40', '80x24'])(
    'a prompt with the time beside it is found without the time, at %s',
    (size) => {
      const copilot = detectorFor('copilot', { version: '1.0.102' });
      const text = '[[delay=2500]][[words=120]] please tell me a story';
      const screen = screenOf(`copilot-1.0.102-busy-${size}.ansi.txt`);
      expect(findPrompt(screen, copilot, { text, chip: undefined })?.row).toBe(text);
    },
  );
});

describe('the same prompt, sent again with the same answer', () => {
  const rows = [' ❯ Say it again.', '', ' ● As you wish.', '', ' ~/work'];
  const copilot = detectorFor('copilot', { version: '1.0.102' });
  const shown = (lines: string[]): ReturnType<typeof findPrompt> =>
    findPrompt(
      { ...screenOf('copilot-1.0.102-busy-120x40.ansi.txt'), cursor: undefined, rows: lines.map(plainRow) },
      copilot,
      { text: 'Say it again.', chip: undefined },
    );
  const once = shown(['', '', '', '', ...rows]);
  const twice = shown([...rows.slice(0, 4), ...rows]);

  it('the same words are a new prompt if the screen shows them once more', () => {
    expect(isNewPrompt(once, twice)).toBe(true);
  });

  it('the same words are no proof of a new prompt if more rows came into view', () => {
    expect(isNewPrompt(once, { ...twice!, height: twice!.height + 1 })).toBeUndefined();
  });
});
