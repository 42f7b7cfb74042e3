import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type SessionPlace, TOOLS, toolOf } from '../../tools/index.ts';
import { refusalOf, temporaryDirectory } from '../testing.ts';
import { additionsFor, argsInSession, planTool, requireWorkdir, type ToolRequest } from './launch-plan.ts';

let directory: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  directory = temporaryDirectory();
  for (const name of ['claude', 'codex', 'gemini', 'kimi', 'my-agent']) {
    fs.writeFileSync(path.join(directory, name), '#!/bin/sh\n', { mode: 0o755 });
  }
  fs.writeFileSync(path.join(directory, 'data'), '', { mode: 0o644 });
  env = { PATH: directory };
});
afterEach(() => {
  fs.rmSync(directory, { recursive: true, force: true });
});

const plan = (request: Partial<ToolRequest>) =>
  planTool({ tool: 'claude', args: [], headless: false, workdir: directory, ...request }, env);
const place = (): SessionPlace => ({
  root: directory,
  launchDir: path.join(directory, 'launch'),
  signalsDir: path.join(directory, 'signals'),
  agentName: 'gpu',
  headless: false,
  args: [],
  env: {},
  workdir: directory,
  home: undefined,
  read: () => undefined,
  entries: () => [],
  mcp: undefined,
});

describe('what is run', () => {
  it("a known tool is found on the caller's PATH and gets its role in its own way", () => {
    const role = plan({ tool: 'claude', rolePrompt: 'be brief', args: ['--model', 'x'] });
    expect(role).toMatchObject({ backend: 'local_interactive', words: [path.join(directory, 'claude')] });
    expect(argsInSession(role, { args: ['--settings', 's'], files: [] })).toEqual([
      ...['--settings', 's', '--append-system-prompt', 'be brief', '--model', 'x'],
    ]);
    expect(plan({ tool: 'codex', rolePrompt: 'a "b"' }).roleArgs).toEqual([
      '-c',
      'developer_instructions="a \\"b\\""',
    ]);
    expect(plan({ tool: 'gemini', rolePrompt: 'r' }).roleArgs).toEqual(['--prompt-interactive', 'r']);
  });

  it('any program can be launched by name or path, or by a command line after --tool command', () => {
    expect(plan({ tool: 'my-agent' })).toMatchObject({
      tool: { name: 'my-agent', process: { names: ['my-agent', 'my-agent'] } },
    });
    expect(plan({ tool: './my-agent' }).words).toEqual([path.join(directory, 'my-agent')]);
    expect(plan({ tool: 'command', args: ['my-agent', '--x'] })).toMatchObject({
      tool: { name: 'my-agent' },
      args: ['--x'],
    });
  });

  it('a headless tool runs as it needs, and any command with the prompt on standard input', () => {
    expect(plan({ headless: true }).backend).toBe('claude_headless');
    expect(plan({ tool: 'codex', headless: true }).backend).toBe('codex_headless');
    expect(plan({ tool: 'gemini', headless: true }).backend).toBe('gemini_headless');
    const own = plan({
      tool: 'command',
      args: ['my-agent'],
      headless: true,
      resumeArgs: ['--resume', '{session}'],
    });
    expect(own).toMatchObject({
      backend: 'generic_headless',
      headless: { shape: { prompt: 'stdin', exact: ['{args}', '{model}', '--resume', '{session}'] } },
    });
    expect(
      plan({ tool: 'command', args: ['my-agent', '{prompt}'], headless: true }).headless?.shape.prompt,
    ).toBe('argument');
  });

  it("a tool gets the requested home directory, else the caller's", () => {
    expect(plan({ home: '/h' }).home).toEqual({ env_var: 'CLAUDE_CONFIG_DIR', home_path: '/h' });
    env['CODEX_HOME'] = '/c';
    expect(plan({ tool: 'codex' }).home).toEqual({ env_var: 'CODEX_HOME', home_path: '/c' });
    expect(plan({}).home).toBeNull();
  });
});

describe('what is refused before anything is made', () => {
  const rows: [string, Partial<ToolRequest>, string][] = [
    ['a slip of a known tool', { tool: 'cluade' }, 'invalid'],
    ['a program that is not there', { tool: 'no-such-program-anywhere' }, 'unavailable'],
    ['a known tool that is not installed', { tool: 'opencode' }, 'unavailable'],
    ['a file that cannot be run', { tool: './data' }, 'invalid'],
    ['--tool command without a command', { tool: 'command' }, 'invalid'],
    ['a role for a tool that takes none', { tool: 'kimi', rolePrompt: 'r' }, 'unsupported'],
    ['a role for any command', { tool: 'my-agent', rolePrompt: 'r' }, 'unsupported'],
    ['a home for a tool without one', { tool: 'my-agent', home: '/h' }, 'unsupported'],
    ['a relative home', { home: 'h' }, 'invalid'],
  ];
  it.each(rows)('%s', async (_, request, code) => {
    expect((await refusalOf(() => plan(request))).code).toBe(code);
  });

  it('a launch in a missing working directory, or in a file, is refused', async () => {
    expect((await refusalOf(() => requireWorkdir('gone', directory))).code).toBe('invalid');
    expect((await refusalOf(() => requireWorkdir('data', directory))).code).toBe('invalid');
  });
});

describe('a known tool', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s: templates are complete', (_, tool) => {
    const { shape } = tool.headless!;
    for (const template of [shape.create, shape.exact, shape.last]) {
      expect(template).toContain('{args}');
      expect(template.some((word) => word.includes('{prompt}'))).toBe(shape.prompt === 'argument');
    }
    expect(shape.exact.join(' ')).toContain('{session}');
    expect(shape.create.includes('{role}')).toBe(shape.role === 'arguments');
    expect(toolOf(tool.name)).toBe(tool);
  });

  it('claude gets hooks by a settings file of its session', () => {
    const { args, files, metadata } = additionsFor(toolOf('claude')!, place());
    expect(args).toEqual(['--settings', files[0]!.path]);
    const settings = JSON.parse(files[0]!.content) as { hooks: Record<string, unknown> };
    expect(Object.keys(settings.hooks).sort()).toEqual([
      ...['Notification', 'PermissionRequest', 'SessionEnd', 'SessionStart', 'Stop', 'UserPromptSubmit'],
    ]);
    expect(metadata).toEqual({ signals_dir: place().signalsDir });
    for (const file of files) expect(file.path.startsWith(directory)).toBe(true);
  });

  it('scripted writes its transcript into the session, or where an argument names', () => {
    const scripted = toolOf('scripted')!;
    expect(additionsFor(scripted, place()).metadata).toMatchObject({
      transcript_path: path.join(directory, 'transcript.jsonl'),
    });
    const additions = additionsFor(scripted, { ...place(), args: ['--transcript', '/t'] });
    expect(additions.metadata).toMatchObject({ transcript_path: '/t' });
    expect(additions.args).not.toContain('--transcript');
  });

  it('other program names of the same tools are known', () => {
    expect(toolOf('claude_code')?.name).toBe('claude');
    expect(toolOf('gemini_cli')?.name).toBe('gemini');
  });
});
