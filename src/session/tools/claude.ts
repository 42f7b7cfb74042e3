import * as path from 'node:path';
import { MCP_NAME } from '../../domain/index.ts';
import { hookScript } from './hook-script.ts';
import { mcpFlagWithFile } from './mcp-file.ts';
import type { ToolPreset } from './preset.ts';

const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'Notification',
  'Stop',
  'SessionEnd',
];

/** An agent that is nudged while nobody looks must not stop at a question about our own tools. */
const ALLOWED = { permissions: { allow: [`mcp__${MCP_NAME}`] } };

/** Claude Code. Its hooks report turns as they happen; `--settings` adds them for this session only. */
export const claude: ToolPreset = {
  tool: 'claude',
  executable: 'claude',
  processNames: ['claude', 'claude-code'],
  homeVariable: 'CLAUDE_CONFIG_DIR',
  npmPackage: '@anthropic-ai/claude-code',
  nestedMarks: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT'],
  role: { method: 'cli_flag', args: (text) => ['--append-system-prompt', text] },
  additions({ launchDir, signalsDir, mcp }) {
    const settings = path.join(launchDir, 'claude-settings.json');
    const script = path.join(launchDir, 'hook.sh');
    const hooks = Object.fromEntries(
      HOOK_EVENTS.map((event) => [
        event,
        [{ hooks: [{ type: 'command', command: `/bin/sh '${script.replaceAll("'", "'\\''")}' ${event}` }] }],
      ]),
    );
    return {
      args: ['--settings', settings],
      files: [
        { path: settings, content: `${JSON.stringify({ hooks, ...(mcp && ALLOWED) }, null, 2)}\n` },
        { path: script, content: hookScript(signalsDir), mode: 0o700 },
      ],
      metadata: { signals_dir: signalsDir },
    };
  },
  // It takes any number of files, up to the next flag; --settings always follows.
  mcp: mcpFlagWithFile('claude', (file) => ['--mcp-config', file]),
  headless: {
    backend: 'claude_headless',
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '-p', '--verbose', '{role}', '--output-format', 'stream-json'],
    exact: [
      '{args}',
      '{model}',
      '-p',
      '--verbose',
      '{role}',
      '--resume',
      '{session}',
      '--output-format',
      'stream-json',
    ],
    last: ['{args}', '{model}', '-p', '--verbose', '{role}', '--continue', '--output-format', 'stream-json'],
  },
};
