import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Classification } from '../../screen/index.ts';
import type { Input } from '../command.ts';
import tui from './classify.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-classify-'));
const fixture = (name: string): string =>
  path.join(import.meta.dirname, '../../../test/screen/fixtures', `${name}.ansi.txt`);

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

async function run(args: string[], flags: Record<string, unknown> = { tool: 'claude' }) {
  const output = await tui.subcommands![0]!.run!({ args, flags } as unknown as Input);
  const results = (output!.data as { results: Classification[] }).results;
  return { results, plain: output!.plain! };
}

function file(name: string, content: string): string {
  const full = path.join(directory, name);
  fs.writeFileSync(full, content);
  return full;
}

describe('rouse tui classify', () => {
  it('tui classify prints readiness, phase, dialog, draft and reasons for each file', async () => {
    const files = ['completed', 'busy', 'typed', 'permission'].map((state) =>
      fixture(`claude-2.1.325-${state}`),
    );
    const { results, plain } = await run(files);
    expect(results.map(({ file, ready, phase }) => [path.basename(file), ready, phase])).toEqual([
      ['claude-2.1.325-completed.ansi.txt', true, 'ready'],
      ['claude-2.1.325-busy.ansi.txt', false, 'active'],
      ['claude-2.1.325-typed.ansi.txt', false, 'ready'],
      ['claude-2.1.325-permission.ansi.txt', false, 'unknown'],
    ]);
    expect(results.map(({ reasons }) => reasons)).toEqual([[], ['busy_turn'], ['draft'], ['dialog']]);
    expect(results[2]!.draft).toBe('hello typed');
    expect(results[3]!.dialog?.kind).toBe('permission');
    expect(plain).toContain('ready    true');
    expect(plain).toContain('draft    "hello typed"');
  });

  it('tui classify reports a version outside every known range', async () => {
    const { results, plain } = await run([fixture('claude-2.1.325-completed')], {
      tool: 'claude',
      toolVersion: '9.9.9',
    });
    expect(results[0]).toMatchObject({
      ready: false,
      reasons: ['unknown_version'],
      version_status: 'outside',
    });
    expect(plain).toContain('9.9.9 is outside every known range');
  });

  it('tui classify accepts a capture whose foreground program is a shell', async () => {
    const text = fs
      .readFileSync(fixture('claude-2.1.325-completed'), 'utf8')
      .replace(' cmd=claude', ' cmd=zsh');
    expect((await run([file('shell.txt', text)])).results[0]).toMatchObject({
      ready: false,
      reasons: ['shell_in_foreground'],
    });
  });

  const bad: [string, string[], Record<string, unknown>, RegExp][] = [
    ['no tool', ['x'], {}, /--tool is required/],
    ['an unknown tool', ['x'], { tool: 'cluade' }, /no detector for tool "cluade"/],
    [
      'a version that is none',
      ['x'],
      { tool: 'claude', toolVersion: 'latest' },
      /--tool-version must be a version/,
    ],
    ['no file', [], { tool: 'claude' }, /name at least one file/],
    [
      'a file that is not there',
      [path.join(directory, 'nope.txt')],
      { tool: 'claude' },
      /there is no file .*nope\.txt/,
    ],
    ['a directory', [directory], { tool: 'claude' }, /cannot be read \(EISDIR\)/],
    [
      'a file without a first line',
      [file('plain.txt', 'hello\nworld\n')],
      { tool: 'claude' },
      /plain\.txt is not a captured screen/,
    ],
    ['an empty file', [file('empty.txt', '')], { tool: 'claude' }, /empty\.txt is not a captured screen/],
    [
      'noise',
      [file('noise.bin', '\u0000\u0001\u001b]8;;')],
      { tool: 'claude' },
      /noise\.bin is not a captured screen/,
    ],
  ];
  it.each(bad)('tui classify refuses %s and says what is wrong', async (_, args, flags, message) => {
    await expect(run(args, flags)).rejects.toThrow(message);
  });

  it('tui classify lists the known tools when none is named', async () => {
    await expect(run(['x'], {})).rejects.toMatchObject({
      code: 'invalid',
      hint: expect.stringContaining('opencode'),
    });
  });

  it('tui classify survives a hostile first line', async () => {
    const hostile = `# x / y cursor=999999999,999999999 cursor_flag=1 size=999999x999999 title="${'"'.repeat(50)}"\n\u001b[31m`;
    expect((await run([file('hostile.txt', hostile)])).results[0]!.ready).toBe(false);
  });
});
