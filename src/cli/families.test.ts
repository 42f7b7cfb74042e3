import * as path from 'node:path';
import { expect, it } from 'vitest';
import { reachedFiles } from '../../test/support/reached-files.ts';
import { type Command, loaded } from './command.ts';
import { ROOT } from './families.ts';
import { wordFlags } from './word-flags.ts';

function takes(command: Command): string {
  const args = (command.args ?? []).map(({ name, optional, variadic }) => {
    const shown = `${name}${variadic ? '...' : ''}`;
    return optional ? `[${shown}]` : `<${shown}>`;
  });
  return [...wordFlags(command).map(({ word }) => `[${word}]`), ...args].join(' ');
}

it.each(ROOT.subcommands!)('rouse --help shows of $name what the command itself says', async (listed) => {
  const command = await loaded(listed);
  const { name, summary, hidden, daily } = command;
  expect(listed).toMatchObject({ name, summary });
  expect([listed.hidden, listed.daily]).toEqual([hidden, daily]);
  expect(listed.takes ?? '').toBe(takes(command));
});

it('rouse --help loads no command, no session, no mail, no HTTP, no parser of files and no croner', () => {
  const reached = [...reachedFiles(path.resolve(import.meta.dirname, '../main/command-line.ts'))];
  const rooms = new Set(reached.map((file) => /src\/(\w+)\//.exec(file)?.[1]).filter(Boolean));
  expect([...rooms].sort()).toEqual(['base', 'cli', 'config', 'domain', 'main', 'wire']);
  expect(
    reached.filter((file) => file.includes('src/cli/') && !/src\/cli\/(print\/)?[\w-]+\.ts$/.test(file)),
  ).toEqual([]);
  expect(
    reached.filter((file) => file.includes('src/domain/')).map((file) => file.replace(/.*src\//, '')),
  ).toEqual(['domain/limits.ts', 'domain/project.ts']);
  expect(reached.filter((each) => !each.startsWith('/') && !each.startsWith('node:')).sort()).toEqual([
    'commander',
    'get-east-asian-width',
    'uuidv7',
  ]);
  expect(reached).not.toContain('node:http');
  expect(reached).not.toContain('node:crypto');
});
