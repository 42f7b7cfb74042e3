import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shellWords } from '../../base/index.ts';
import { hookScript } from '../../tools/claude/hook-script.ts';
import { handedEnvironment, harmlessEnvironment, writeEnvironmentFile } from '../equip/programs.ts';
import { temporaryDirectory } from '../testing.ts';
import { writePaneProgram } from './tool-pane.ts';

let directory: string;
beforeEach(() => {
  directory = temporaryDirectory();
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

/** What no environment variable and no argument can hold. */
const words = fc
  .string({ unit: 'binary', maxLength: 40 })
  .map((text) => text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, ''));

describe('words for a shell', () => {
  it('words for a shell arrive as they were, whatever they contain', () => {
    void fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (given) => {
        const script = `${shellWords([process.execPath, '-e', 'process.stdout.write(JSON.stringify(process.argv.slice(1)))', '--'])} ${shellWords(given)}`;
        expect(JSON.parse(execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }))).toEqual(given);
      }),
      { numRuns: 15 },
    );
  });
});

describe('the environment of a pane', () => {
  it('the environment of a pane arrives as it was, in a file only its owner can read', () => {
    const name = fc.stringMatching(/^[A-Z_][A-Z0-9_]{2,8}$/).map((text) => `R_${text}`);
    void fc.assert(
      fc.property(fc.dictionary(name, words, { maxKeys: 5 }), (env) => {
        const file = path.join(directory, 'env');
        writeEnvironmentFile(file, env);
        expect(fs.statSync(file).mode & 0o777).toBe(0o600);
        const printed = execFileSync(
          '/bin/sh',
          [
            '-c',
            `. ${file}; exec "$0" -e 'process.stdout.write(JSON.stringify(process.env))'`,
            process.execPath,
          ],
          {
            encoding: 'utf8',
            env: {},
          },
        );
        expect(JSON.parse(printed)).toMatchObject(env);
      }),
      { numRuns: 15 },
    );
  });

  it('the environment of a pane leaves out what belongs to another terminal or another agent', () => {
    const env = handedEnvironment(
      {
        TMUX: 'x',
        HOUMAO_AGENT_GATEWAY_PORT: '1',
        MY_API_KEY: 'k',
        CLAUDECODE: '1',
        'BASH_FUNC_x%%': '() {}',
      },
      ['CLAUDECODE'],
    );
    expect(env).toEqual({ MY_API_KEY: 'k' });
  });

  it('the environment of a tmux server has only harmless variables', () => {
    const env = harmlessEnvironment({
      PATH: '/bin',
      HOME: '/h',
      MY_API_KEY: 'k',
      AWS_SECRET_ACCESS_KEY: 's',
      LC_ALL: 'C',
      ANTHROPIC_BASE_URL: 'u',
    });
    expect(env).toEqual({ PATH: '/bin', HOME: '/h', LC_ALL: 'C' });
  });
});

describe('what a pane runs', () => {
  const run = (command: string[], env: Record<string, string> = {}) => {
    const program = writePaneProgram({ directory, title: "o'gpu", workdir: directory, command, env });
    const done = spawnSync(program.command[0]!, program.command.slice(1), {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], SHELL: '/bin/true' },
    });
    return { ...program, done };
  };

  it('a pane runs the tool with its environment; afterwards the exit code is recorded and a shell remains', () => {
    const { trace, done } = run(['/bin/sh', '-c', 'printf "%s" "$SECRET" > got; exit 7'], {
      SECRET: "a'b\n$c",
    });
    expect(fs.readFileSync(path.join(directory, 'got'), 'utf8')).toBe("a'b\n$c");
    expect(fs.readFileSync(trace.exitFile, 'utf8')).toBe('7\n');
    expect(done.stdout).toMatch(/ended with code 7/);
    expect(done.status).toBe(0);
  });

  it('a pane leaves no environment file, and no file that others can read', () => {
    run(['/bin/true'], { SECRET: 'sekrit' });
    expect(fs.existsSync(path.join(directory, 'env'))).toBe(false);
    for (const name of fs.readdirSync(directory)) {
      expect(fs.statSync(path.join(directory, name)).mode & 0o077).toBe(0);
      expect(fs.readFileSync(path.join(directory, name), 'utf8')).not.toContain('sekrit');
    }
  });

  it('a pane records a program that cannot be run', () => {
    const { trace } = run(['/nowhere/tool']);
    expect(fs.readFileSync(trace.exitFile, 'utf8')).toBe('127\n');
  });
});

describe('the hook command', () => {
  const hook = (event: string, payload: string) => {
    const script = path.join(directory, 'hook.sh');
    fs.writeFileSync(script, hookScript(path.join(directory, 'signals')));
    return spawnSync('/bin/sh', [script, event], { input: payload, encoding: 'utf8' });
  };
  const signals = (): string[] => fs.readdirSync(path.join(directory, 'signals')).sort();

  it('the hook command writes one line of JSON per event, prints nothing and succeeds', () => {
    fs.mkdirSync(path.join(directory, 'signals'));
    const payload = { session_id: 's', prompt: `x${'y'.repeat(200_000)}"\n` };
    const done = hook('UserPromptSubmit', JSON.stringify(payload, null, 2));
    expect([done.status, done.stdout, done.stderr]).toEqual([0, '', '']);
    const [name] = signals();
    const text = fs.readFileSync(path.join(directory, 'signals', name!), 'utf8');
    expect(text.split('\n')).toHaveLength(2);
    expect(JSON.parse(text)).toMatchObject({ event: 'UserPromptSubmit', payload });
    expect(fs.statSync(path.join(directory, 'signals', name!)).mode & 0o077).toBe(0);
  });

  it('the hook command succeeds silently when its directory is gone', () => {
    const done = hook('Stop', '{}');
    expect([done.status, done.stdout, done.stderr]).toEqual([0, '', '']);
  });

  it('the hook command keeps a bounded number of reports if none are read', () => {
    fs.mkdirSync(path.join(directory, 'signals'));
    for (let i = 0; i < 600; i++)
      fs.writeFileSync(path.join(directory, 'signals', `${1000 + i}-1.json`), '{}');
    hook('Stop', '{}');
    expect(signals().length).toBeLessThanOrEqual(256);
    expect(signals().at(-1)).not.toMatch(/^1\d\d\d-/);
  });
});
