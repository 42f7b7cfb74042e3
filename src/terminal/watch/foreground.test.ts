import { describe, expect, it } from 'vitest';
import type { Pane } from '../../tmux/index.ts';
import { launchedName, launchedWords, readForeground } from './foreground.ts';

const looks = { names: ['claude'], launched: [], pids: () => [] };

describe('the foreground of a pane', () => {
  it('is gone with a dead pane or a process that is not there', () => {
    expect(readForeground({ dead: true, pid: process.pid } as Pane, looks).kind).toBe('gone');
    expect(readForeground({ dead: false, pid: 2 ** 22 + 1 } as Pane, looks).kind).toBe('gone');
  });

  it.each([
    ['/usr/bin/claude', ['--x'], ['/usr/bin/claude'], ['claude']],
    ['/usr/bin/node', ['/opt/tool.mjs', '--x'], ['/usr/bin/node', '/opt/tool.mjs'], []],
    ['/bin/sh', ['-c', 'x'], ['/bin/sh'], []],
    [null, [], [], []],
  ])('knows %s %j by its first words and its name', (executable, args, words, name) => {
    expect(launchedWords(executable, args)).toEqual(words);
    expect(launchedName(executable)).toEqual(name);
  });
});
