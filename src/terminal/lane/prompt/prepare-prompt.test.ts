import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectorFor, detectorsOf, TOOLS } from '../../../tools/index.ts';
import { preparePrompt } from './prepare-prompt.ts';

describe('a prompt before it is pasted', () => {
  it.each([
    ['claude', '!rm -rf x', /shell/],
    ['codex', '  !ls', /shell/],
    ['copilot', '!ls', /shell/],
    ['claude', 'do this \\', /backslash/],
    ['gemini', 'line\nlast \\', /backslash/],
    ['codex', 'look at @src/main.ts', /completion/],
    ['gemini', 'look at @file', /completion/],
    ['claude', '/unknown do it', /slash/],
    ['codex', '/unknown with words', /slash/],
    ['kimi', '/unknown', /slash/],
    ['gemini', 'x'.repeat(9_000), /line of 9000 bytes/],
    ['gemini', 'a line\n'.repeat(30_000), /at most 200000/],
    ['claude', 'x'.repeat(262_145), /262145 bytes: at most 262144 are typed; put long text into a file/],
    ['claude', '', /no characters/],
    ['claude', '\u001b\u0007 \n', /no characters/],
  ])('a prompt is refused because %s does not take %j', (tool, text, because) => {
    expect(preparePrompt(text, detectorFor(tool).input).refusals.join('; ')).toMatch(because);
  });

  it.each(['claude', 'codex'])('%s takes a command alone only if its menu offers it', (tool) => {
    const { input } = detectorFor(tool);
    expect(preparePrompt('/clear', input)).toMatchObject({ refusals: [], onlyIfOffered: true });
    expect(preparePrompt('clear it', input)).toMatchObject({ refusals: [], onlyIfOffered: false });
  });

  it('a command with a line end after it is pasted without the line end', () => {
    const { input } = detectorFor('claude');
    expect(preparePrompt('/clear \n', input)).toMatchObject({
      text: '/clear',
      changes: ['command_end_trimmed'],
    });
    expect(preparePrompt('words \n', input).text).toBe('words \n');
    expect(preparePrompt(' /tmp/x', input).text).toBe(' /tmp/x');
  });

  it.each([
    ['claude', 'plain words'],
    ['claude', '/etc/hosts is a file'],
    ['codex', 'ends with a backslash \\'],
    ['codex', '@file is at the start'],
    ['gemini', '!pasted it is only text'],
    ['opencode', '?'],
    ['claude', 'x'.repeat(200_000)],
    ['claude', '- a list\n- of things'],
  ])('%s takes %j', (tool, text) => {
    expect(preparePrompt(text, detectorFor(tool).input).refusals).toEqual([]);
  });

  it('every change to a prompt is recorded', () => {
    const { text, changes } = preparePrompt('a\tb\r\nc\u001b[201~', detectorFor('claude').input);
    expect(text).toBe('a\tb\nc[201~');
    expect(changes).toEqual(['line_ends_unified', 'control_characters_removed', 'tabs_to_4_spaces']);
    expect(preparePrompt('as it is', detectorFor('codex').input)).toMatchObject({
      text: 'as it is',
      changes: [],
    });
  });

  it('a pasted prompt never holds a control character', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(...TOOLS.flatMap(detectorsOf)),
        (original, { input }) => {
          const { text } = preparePrompt(original, input);
          expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
          expect(preparePrompt(text, input).text).toBe(text);
        },
      ),
    );
  });
});
