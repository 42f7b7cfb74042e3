import { expect, it } from 'vitest';
import { isShell, namesOf } from './process-names.ts';

it.each([
  ['a program', 'claude', ['/usr/bin/claude', '--x'], 'claude'],
  ['a program that calls itself something else', 'claude', ['node: worker'], 'claude'],
  ['a script of Node', 'node', ['/usr/bin/node', '--no-warnings', '/opt/gemini.mjs'], 'gemini'],
  ['a script of a Python with its version', 'python3.12', ['/usr/bin/python3.12', '/opt/kimi.py'], 'kimi'],
  ['a script of a shell that the kernel started', 'mytool.sh', ['/bin/sh', '/opt/mytool.sh'], 'mytool.sh'],
  ['a program that npx fetched', 'npx', ['npx', 'qwen'], 'qwen'],
])('%s is known by its name', (_what, command, words, name) => {
  expect(namesOf({ command, words })).toContain(name);
});

it.each([
  ['a shell that runs a script', 'bash', ['bash', '/opt/claude'], 'claude'],
  ['an interpreter with an argument for its script', 'node', ['node', '/opt/other.js', 'claude'], 'claude'],
  ['an editor with a file', 'vim', ['vim', 'claude'], 'claude'],
])('%s is not the program its arguments name', (_what, command, words, name) => {
  expect(namesOf({ command, words })).not.toContain(name);
});

it('a login shell is a shell', () => {
  expect(['-bash', '/bin/zsh', 'fish', 'node', ''].map(isShell)).toEqual([true, true, true, false, false]);
});
