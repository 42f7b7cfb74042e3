import type { HeadlessHabits } from '../headless-habits.ts';
import { mcpFile, mcpJsonDocument } from '../mcp.ts';
import type { McpEntry, SessionAdditions, Tool } from '../tool.ts';
import { DETECTOR } from './detector.ts';
import { OpencodeHttp, opencodePort } from './http.ts';

const MCP = {
  member: 'mcp',
  value: ({ command, args, env }: McpEntry): object => ({
    type: 'local',
    command: [command, ...args],
    environment: env,
    enabled: true,
  }),
};

/** OpenCode 1.18. Without a message it reads standard input, exactly; a message given as an argument it puts in quotes. */
const HEADLESS: HeadlessHabits = {
  backend: 'generic_headless',
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['run', '{args}', '{model}', '--format', 'json'],
    exact: ['run', '{args}', '{model}', '--session', '{session}', '--format', 'json'],
    last: ['run', '{args}', '{model}', '--continue', '--format', 'json'],
  },
  model: ['--model', '{name}'],
  events: [
    { when: { type: 'step_start' }, kind: 'progress', message: ['type'] },
    { when: { type: 'text' }, kind: 'assistant', message: ['part.text'] },
    { when: { type: 'reasoning' }, kind: 'progress', message: ['type'] },
    { when: { type: 'tool_use' }, kind: 'action_result', message: ['part.tool', 'type'] },
    { when: { type: 'step_finish', 'part.reason': 'stop' }, kind: 'completion', message: ['part.reason'] },
    { when: { type: 'step_finish' }, kind: 'progress', message: ['part.reason', 'type'] },
    { when: { type: 'error' }, kind: 'diagnostic', message: ['error.data.message', 'error.name'] },
  ],
};

/** OpenCode. Its own HTTP port would be open to every local program, so it is not asked for. */
export const opencode: Tool = {
  name: 'opencode',
  process: {
    executable: 'opencode',
    names: ['opencode'],
    npmPackage: 'opencode-ai',
    nestedMarks: ['OPENCODE'],
  },
  homeVariable: null,
  role: { method: 'first_message_flag', words: ['--prompt', '{text}'] },
  mcp: {
    config: {
      inHome: 'opencode.json',
      byDefault: '.config/opencode/opencode.json',
      variable: 'OPENCODE_CONFIG_DIR',
      format: 'json',
    },
    ...MCP,
    // Two variables name configuration that is added to the person's own; one they use themselves is left to them.
    forSession(entry, place): SessionAdditions {
      if (!place.env['OPENCODE_CONFIG']) {
        const file = mcpFile(MCP, entry, place);
        return { args: [], files: [file], env: { OPENCODE_CONFIG: file.path } };
      }
      if (place.env['OPENCODE_CONFIG_CONTENT']) return { args: [], files: [] };
      return { args: [], files: [], env: { OPENCODE_CONFIG_CONTENT: mcpJsonDocument(MCP, entry) } };
    },
  },
  skills: { inHome: 'skills', byDefault: '.config/opencode/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR],
  signals: ({ args, clock, changed }) => {
    const port = opencodePort(args);
    return port === undefined ? [] : [new OpencodeHttp(port, clock, changed)];
  },
  notes: {
    added: 'nothing; its HTTP port is not opened, since every local program could use it',
    beside: 'its port, where it was started with `--port`',
    taken: 'the transcript',
    ended: 'closing row `▣ … · 1.2s` or `interrupted`',
    allowsMail: '`"permission": { "bash": { "curl *": "allow" } }` in its configuration',
  },
};
