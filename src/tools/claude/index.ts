import * as os from 'node:os';
import * as path from 'node:path';
import { MCP_NAME, mcpFlagWithFile } from '../mcp.ts';
import { StatusFile } from '../signals/status-file.ts';
import { toolVariable } from '../signals/tool-variable.ts';
import type { Tool } from '../tool.ts';
import { DETECTOR } from './detector.ts';
import { HEADLESS } from './headless.ts';
import { hookScript } from './hook-script.ts';
import { ClaudeHooks } from './hooks.ts';

const HOME = 'CLAUDE_CONFIG_DIR';

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
export const claude: Tool = {
  name: 'claude',
  aliases: ['claude_code'],
  process: {
    executable: 'claude',
    names: ['claude', 'claude-code'],
    npmPackage: '@anthropic-ai/claude-code',
    nestedMarks: ['CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLAUDE_CODE_SSE_PORT'],
  },
  homeVariable: HOME,
  role: { method: 'cli_flag', words: ['--append-system-prompt', '{text}'] },
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
  mcp: {
    config: { inHome: '.claude.json', byDefault: '.claude.json', format: 'json' },
    // It takes any number of files, up to the next flag; --settings always follows.
    forSession: mcpFlagWithFile((file) => ['--mcp-config', file]),
  },
  skills: { inHome: 'skills', byDefault: '.claude/skills', call: (skill) => `/${skill}` },
  headless: HEADLESS,
  detectors: [DETECTOR],
  signals: ({ sessionRoot, fact, home, clock, changed }) => [
    new StatusFile({
      source: 'claude_status_file',
      clock,
      changed,
      stamp: (content) => content['statusUpdatedAt'] ?? content['updatedAt'],
      place: (tool) => {
        if (!tool) return undefined;
        const directory =
          toolVariable(tool.pid, HOME) ??
          home ??
          path.join(toolVariable(tool.pid, 'HOME') ?? os.homedir(), '.claude');
        return path.join(directory, 'sessions', `${tool.pid}.json`);
      },
    }),
    new ClaudeHooks(fact('signals_dir') ?? path.join(sessionRoot, 'signals'), clock, changed),
  ],
  notes: {
    added: '`--settings` with hooks that write one small file per event',
    beside: 'status file of its process (`idle`, `busy`, `waiting`), hooks',
    taken: 'hook `UserPromptSubmit` with the very text, or the transcript',
    ended: 'closing row, `Interrupted`, `API Error`',
    allowsMail: "`-- --allowedTools 'Bash(curl:*)'`, or in its settings",
    asksTrust: 'always',
  },
};
