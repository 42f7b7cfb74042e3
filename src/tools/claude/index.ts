import * as os from 'node:os';
import * as path from 'node:path';
import { processVariable } from '../../base/index.ts';
import { compareVersions } from '../../screen/index.ts';
import { bearer, mcpDoubleUnderscores, mcpFlagWithFile, toolNamesIn } from '../mcp.ts';
import { StatusFile } from '../signals/status-file.ts';
import type { Tool } from '../tool.ts';
import { DETECTOR } from './detector.ts';
import { HEADLESS } from './headless.ts';
import { hookScript } from './hook-script.ts';
import { ClaudeHooks } from './hooks.ts';
import { claudeTurns } from './kept-turns.ts';

const HOME = 'CLAUDE_CONFIG_DIR';

const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PermissionRequest',
  'Notification',
  'Stop',
  'SessionEnd',
];

/** An older version refuses settings with a hook that it does not know. */
const STOP_FAILURE_FROM = '2.1.78';

const eventsOf = (version = '0'): string[] =>
  compareVersions(version, STOP_FAILURE_FROM) < 0 ? HOOK_EVENTS : [...HOOK_EVENTS, 'StopFailure'];

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
  resume: ['{args}', '--resume', '{session}'],
  harmlessFlags: ['--model'],
  role: { method: 'cli_flag', words: ['--append-system-prompt', '{text}'] },
  additions({ launchDir, signalsDir, version }) {
    const settings = path.join(launchDir, 'claude-settings.json');
    const script = path.join(launchDir, 'hook.sh');
    const hooks = Object.fromEntries(
      eventsOf(version).map((event) => [
        event,
        [{ hooks: [{ type: 'command', command: `/bin/sh '${script.replaceAll("'", "'\\''")}' ${event}` }] }],
      ]),
    );
    return {
      args: ['--settings', settings],
      files: [
        { path: settings, content: `${JSON.stringify({ hooks }, null, 2)}\n` },
        { path: script, content: hookScript(signalsDir), mode: 0o700 },
      ],
      metadata: { signals_dir: signalsDir },
    };
  },
  mcp: {
    modelName: mcpDoubleUnderscores,
    config: { inHome: '.claude.json', byDefault: '.claude.json', format: 'json' },
    forSession: mcpFlagWithFile({
      remote: (at) => ({ type: 'http', url: at.url, alwaysLoad: true, headers: bearer(at) }),
      local: (program) => ({ type: 'stdio', ...program, alwaysLoad: true }),
      configured: ({ home, env }) => [path.join(home ?? env['HOME'] ?? '/', '.claude.json')],
      // Both take all words up to the next flag; --settings always follows.
      args: (file, server, mcp) => [
        ...['--mcp-config', file],
        ...(mcp.allowed
          ? [
              '--allowedTools',
              toolNamesIn(mcp)
                .map((name) => mcpDoubleUnderscores(server, name))
                .join(','),
            ]
          : []),
      ],
    }),
    absence: {
      atStart: 'it tries for 7 s, then not again: `/mcp` connects it by hand, or `rouse agents relaunch`',
      whileRunning: 'the next call works',
    },
  },
  skills: { inHome: 'skills', byDefault: '.claude/skills', call: (skill) => `/${skill}` },
  headless: HEADLESS,
  detectors: [DETECTOR],
  keptTurns: claudeTurns,
  signals: ({ sessionRoot, fact, home, clock, changed }) => [
    new StatusFile({
      source: 'claude_status_file',
      clock,
      changed,
      stamp: (content) => content['statusUpdatedAt'] ?? content['updatedAt'],
      place: (tool) => {
        if (!tool) return undefined;
        const directory =
          processVariable(tool.pid, HOME) ??
          home ??
          path.join(processVariable(tool.pid, 'HOME') ?? os.homedir(), '.claude');
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
    mcp: '`--mcp-config` file',
    allowsTools: '`--allowedTools`, each by its name; your deny and ask win',
    sandbox: 'none',
    allowsMail: "`-- --allowedTools 'Bash(curl:*)'`, or in its settings",
    asksTrust: 'always',
  },
};
