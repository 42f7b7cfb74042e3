import { describe, expect, it } from 'vitest';
import type { Pane } from '../../tmux/index.ts';
import { launchedName, launchedWords, readForeground } from './foreground.ts';

const looks = { names: ['claude'], launched: [], pids: () => [] };

describe('the foreground of a pane', () => {
  it('the foreground of a pane is gone if the pane is dead or its process has ended', () => {
    expect(readForeground({ dead: true, pid: process.pid } as Pane, looks).kind).toBe('gone');
    expect(readForeground({ dead: false, pid: 2 ** 22 + 1 } as Pane, looks).kind).toBe('gone');
  });

  it.each([
    ['/usr/bin/claude', ['--x'], ['/usr/bin/claude'], ['claude']],
    ['/usr/bin/node', ['/opt/tool.mjs', '--x'], ['/usr/bin/node', '/opt/tool.mjs'], []],
    ['/bin/sh', ['-c', 'x'], ['/bin/sh'], []],
    [null, [], [], []],
  ])(
    'the foreground program %s %j is identified by its first words and its name',
    (executable, args, words, name) => {
      expect(launchedWords(executable, args)).toEqual(words);
      expect(launchedName(executable)).toEqual(name);
    },
  );
});
