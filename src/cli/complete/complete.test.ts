import { describe, expect, it } from 'vitest';
import { type Command, loadedTree, ROOT } from '../index.ts';
import { completeWords } from './complete-words.ts';
import { completionText } from './known-names.ts';
import { splitLine } from './split-line.ts';

const words = async (...line: string[]): Promise<string[]> => {
  const { candidates, files } = await completeWords(ROOT, line, async (named) => [
    { word: `${named}-1`, meaning: '' },
  ]);
  return [...candidates.map(({ word }) => word), ...(files ? [':files'] : [])];
};

describe('completion', () => {
  it.each([
    ['rouse sto', ['rouse', 'sto']],
    ['rouse stop ', ['rouse', 'stop', '']],
    ['rouse  send ana "a b', ['rouse', 'send', 'ana', 'a b']],
    ["rouse x '' ", ['rouse', 'x', '', '']],
    ['rouse a\\ b --x=filesystem:m', ['rouse', 'a b', '--x=filesystem:m']],
    ['', ['']],
  ])('completion splits a line as a shell does: %s', (line, expected) => {
    expect(splitLine(line)).toEqual(expected);
  });

  it('completion offers commands, then known names, then nothing', async () => {
    expect(await words('agents', 'rela')).toEqual(['relaunch']);
    expect(await words('agents', 'relaunch', '')).toEqual(['agent-1']);
    expect(await words('agents', 'relaunch', 'ana', '')).toEqual(['agent-1']);
    expect(await words('agents', 'relaunch', 'agent-1', '')).toEqual([]);
    expect(await words('open', 'ana', '')).toEqual([]);
    expect(await words('launch', '')).toEqual(['tool-1']);
    expect(await words('launch', 'claude', '')).toEqual([]);
    expect(await words('launch', '--tool', 'claude', '')).toEqual([]);
    expect(await words('up', 'ana', '')).toEqual(['member-1']);
    expect(await words('nonsense', '')).toEqual([]);
  });

  it('completion offers the flags that are not given yet, their opposites and the global ones', async () => {
    expect(await words('launch', '--wak')).toEqual(['--wake']);
    expect(await words('launch', '--no-w')).toEqual(['--no-wake']);
    expect(await words('launch', '--wake', '--wa')).toEqual([]);
    expect(await words('launch', '--print-j')).toEqual(['--print-json']);
    expect(await words('launch', '--js')).toEqual(['--json']);
  });

  it('completion offers the values of a flag, also after "=", and files where one is expected', async () => {
    expect(await words('agents', 'stop', '--agent-name', '')).toEqual(['agent-1']);
    expect(await words('agents', 'stop', '--agent-name=ag')).toEqual(['--agent-name=agent-1']);
    expect(await words('mailbox', 'register', '--mode', 's')).toEqual(['safe', 'stash']);
    expect(await words('launch', '--workdir', '')).toEqual([':files']);
    expect(await words('launch', 'claude', 'ana', '--', '')).toEqual([':files']);
    expect(await words('launch', '--session-name', '')).toEqual([]);
  });

  it('completion shows no hidden command, and works for every command', async () => {
    expect(await words('comple')).toEqual(['completion']);
    const every = function* (command: Command, path: string[]): Generator<string[]> {
      yield path;
      for (const inner of command.subcommands ?? []) yield* every(inner, [...path, inner.name]);
    };
    for (const path of every(await loadedTree(ROOT), [])) {
      await words(...path, '');
      expect((await words(...path, '--he')).at(-1)).toBe('--help');
    }
  });

  it('completion prints no word that a shell could misread, and no control characters', () => {
    const text = completionText(
      [
        { word: 'fine', meaning: 'a\u001b[2J\tb' },
        { word: '$(evil)', meaning: '' },
        { word: 'a b', meaning: '' },
      ],
      false,
    );
    expect(text).toMatch(/^fine\t[^\u001b\t]*\n$/);
  });
});
