import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Command, loadedTree, ROOT } from '../../src/cli/index.ts';

const BIN = path.resolve(import.meta.dirname, '../../bin/rouse');
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-cli-'));
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

function rouse(args: string[], options: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const done = spawnSync(BIN, args, {
    encoding: 'utf8',
    input: options.input ?? '',
    env: { ...process.env, ROUSE_HOME: home, ...options.env },
  });
  return { code: done.status, out: done.stdout, err: done.stderr };
}

function* leaves(command: Command, words: string[] = []): Generator<[string, Command]> {
  if (command.hidden) return;
  if (command.run) yield [words.join(' '), command];
  for (const inner of command.subcommands ?? []) yield* leaves(inner, [...words, inner.name]);
}
const COMMANDS = [...leaves(await loadedTree(ROOT))];

describe('every command', () => {
  it.each(COMMANDS)('%s has a summary, and examples that name it', (words, command) => {
    expect(command.summary).not.toBe('');
    expect(
      command.examples?.some((line) => line.includes(words)),
      `examples of ${words}`,
    ).toBe(true);
  });

  it.each(COMMANDS)('%s has only flags with a summary, and none twice', (_words, command) => {
    const names = (command.flags ?? []).map((flag) => flag.name);
    expect(new Set(names).size).toBe(names.length);
    for (const flag of command.flags ?? []) expect(flag.summary, flag.name).not.toBe('');
  });
});

describe('the command line', () => {
  it('the command line prints its version under both names, and suggests commands under the one it was called by', () => {
    const { version } = JSON.parse(fs.readFileSync(path.resolve(BIN, '../../package.json'), 'utf8'));
    expect(rouse(['--version'])).toMatchObject({ code: 0, out: `rouse ${version}\n` });
    const other = path.join(home, 'houmao-mgr');
    fs.symlinkSync(BIN, other);
    expect(spawnSync(other, ['--version'], { encoding: 'utf8' }).stdout).toBe(`rouse ${version}\n`);
    const env = { ...process.env, ROUSE_HOME: home };
    const { stderr } = spawnSync(other, ['status', 'nobody'], { encoding: 'utf8', env });
    expect(stderr).toContain('"houmao-mgr ls" shows the agents there are');
    expect(rouse(['status', 'nobody']).err).toContain('"rouse ls" shows the agents there are');
  });

  it('the command line says in one sentence that its output cannot be written, with exit code 7', () => {
    const full = fs.openSync('/dev/full', 'w');
    const done = spawnSync(BIN, ['help', 'exit-codes'], {
      stdio: ['ignore', full, 'pipe'],
      encoding: 'utf8',
    });
    fs.closeSync(full);
    expect([done.status, done.stderr]).toEqual([
      7,
      expect.stringMatching(/^error: standard output cannot be written: .*\n$/),
    ]);
  });

  it('the command line takes the print style before or after the command, and from the environment', () => {
    const json = rouse(['help', 'exit-codes', '--print-json']).out;
    expect(JSON.parse(json).exit_codes).toBeDefined();
    expect(rouse(['--print-json', 'help', 'exit-codes']).out).toBe(json);
    expect(rouse(['help', 'exit-codes'], { env: { HOUMAO_CLI_PRINT_STYLE: 'json' } }).out).toBe(json);
  });

  it.each([
    [['mial'], /unknown command 'mial'[\s\S]*did you mean "rouse mail"/],
    [['mail', 'sned'], /unknown command 'sned'[\s\S]*did you mean "rouse mail send"/],
    [['mail', 'list', '--lmit', '3'], /unknown option '--lmit'/],
    [['mail', 'list', '--limit', 'many'], /--limit/],
    [['help', 'nothing'], /unknown command 'nothing'[\s\S]*commands: launch/],
    [['completion', 'tcsh'], /bash, zsh, fish/],
    [['mailbox', 'register', '--mode', 'wild', '--address', 'a@b'], /safe, force, stash/],
  ])('the command line refuses %j with what is allowed, on stderr, with exit code 2', (args, message) => {
    const { code, out, err } = rouse(args);
    expect(err).toMatch(message);
    expect([code, out]).toEqual([2, '']);
  });

  it('the command line refuses a relative state root by its name', () => {
    const answer = rouse(['mailbox', 'status'], { env: { ROUSE_HOME: 'relative/dir' } });
    expect(answer).toMatchObject({ code: 2 });
    expect(answer.err).toMatch(/ROUSE_HOME must be an absolute path/);
  });

  it('the command line prints errors as JSON with --print-json', () => {
    const { err } = rouse(['--print-json', 'mial']);
    expect(JSON.parse(err).error).toMatchObject({ code: 'invalid' });
  });

  it('the command line uses no colour when it does not write to a terminal', () => {
    expect(rouse(['--help']).out).not.toContain('\u001b');
  });

  it.each(['bash', 'zsh', 'fish'])('the command line prints a completion script for %s', (shell) => {
    expect(rouse(['completion', shell]).out).toContain('rouse');
  });

  it('the command line completes commands, flags and the values of a flag', () => {
    expect(rouse(['complete', '--', 'mailb']).out).toContain('mailbox');
    expect(rouse(['complete', '--', 'mailbox', 'register', '--mo']).out).toContain('--mode');
    expect(rouse(['complete', '--', 'mailbox', 'register', '--mode', '']).out).toContain('stash');
  });
});
