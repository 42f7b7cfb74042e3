import { expect, it } from 'vitest';
import { detectorFor } from '../../tools/index.ts';
import { counts } from './own-label.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, n) => `line ${n}`).join('\n');

it.each([
  ['claude', '[Pasted text #2 +59 lines]', lines(60), true],
  ['claude', '[Pasted text #2 +59 lines]', lines(59), false],
  ['claude', '[Pasted text #1]', 'x'.repeat(2000), false],
  ['codex', '[Pasted Content 1889 chars]', 'x'.repeat(1889), true],
  ['copilot', '[Paste #1 - 60 lines]', lines(60), true],
  ['gemini', '[Pasted Text: 60 lines] #2', lines(60), true],
  ['gemini', '[Pasted Text: 889 chars]', 'x'.repeat(889), true],
  ['kimi', '[paste #1 +60 lines]', lines(60), true],
  ['opencode', '[Pasted ~60 lines]', lines(60), true],
  ['opencode', '[Pasted ~60 lines]', lines(61), false],
  ['pi', '[paste #1 +60 lines]', lines(60), true],
  ['pi', '[paste #1 2000 chars]', 'x'.repeat(2000), true],
  ['qwen', '[Pasted Content 889 chars] #2', 'ä'.repeat(889), true],
  ['qwen', '[Pasted Content 889 chars]', 'x'.repeat(888), false],
])('the label of a paste in %s, %s, states the size of our text: %#', (tool, label, text, ours) => {
  expect(counts(detectorFor(tool, {}).input.pasteChip!, label, text)).toBe(ours);
});
