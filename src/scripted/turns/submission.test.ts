import { describe, expect, it } from 'vitest';
import type { How } from '../tui/composer.ts';
import { SKINS } from '../tui/skins.ts';
import { readSubmission } from './submission.ts';

const read = (skin: string, text: string, how: How = 'typed', shellMode = false) =>
  readSubmission({ text, how, shellMode }, SKINS.get(skin)!.habits);

describe('what Enter means', () => {
  it.each(['!ls', 'ends with \\', '/unknown arg', 'see @name', '?', '/etc/hosts is a file'])(
    'the plain skin submits %j as written',
    (text) => {
      expect(read('plain', text)).toEqual({ kind: 'prompt' });
    },
  );

  it.each([
    ['claude-like', '!ls', 'pasted', { kind: 'shell', command: 'ls' }],
    ['gemini-like', '!ls', 'pasted', { kind: 'prompt' }],
    ['gemini-like', '!ls', 'typed', { kind: 'shell', command: 'ls' }],
    ['claude-like', 'ends \\', 'pasted', { kind: 'newline' }],
    ['codex-like', 'ends \\', 'pasted', { kind: 'prompt' }],
    ['codex-like', 'see @name', 'pasted', { kind: 'complete', text: 'see @name.md ' }],
    ['claude-like', 'see @name', 'pasted', { kind: 'prompt' }],
    ['claude-like', '/nope x', 'typed', { kind: 'unknown-command', name: '/nope', keep: false }],
    ['codex-like', '/nope x', 'typed', { kind: 'unknown-command', name: '/nope', keep: true }],
    ['gemini-like', '/nope x', 'typed', { kind: 'prompt' }],
    ['claude-like', '/etc/hosts is a file', 'pasted', { kind: 'prompt' }],
    ['claude-like', '?', 'typed', { kind: 'help' }],
    ['claude-like', '?', 'pasted', { kind: 'prompt' }],
    ['plain', '/clear', 'typed', { kind: 'command', name: '/clear' }],
    ['plain', ' \n ', 'typed', { kind: 'nothing' }],
  ] as const)('%s given %j (%s)', (skin, text, how, meaning) => {
    expect(read(skin, text, how)).toEqual(meaning);
  });

  it('in shell mode every line is a shell command', () => {
    expect(read('gemini-like', 'fix the bug', 'pasted', true)).toEqual({
      kind: 'shell',
      command: 'fix the bug',
    });
  });
});
