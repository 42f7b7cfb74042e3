import { BACKEND } from '../../wire/houmao/index.ts';
import type { HeadlessHabits } from '../headless-habits.ts';
import type { Tool } from '../tool.ts';
import { DETECTOR } from './detector.ts';
import { OpencodeHttp } from './http.ts';
import { localEntry, opencodeSession, opencodeToolName } from './mcp.ts';

/** OpenCode 1.18. Without a message argument it reads standard input unchanged; it puts a message argument in quotes. */
const HEADLESS: HeadlessHabits = {
  backend: BACKEND.turns,
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

/** OpenCode. Its HTTP port would be open to every local program, so a launch does not request it. */
export const opencode: Tool = {
  name: 'opencode',
  process: {
    executable: 'opencode',
    names: ['opencode'],
    npmPackage: 'opencode-ai',
    nestedMarks: ['OPENCODE'],
  },
  homeVariable: null,
  harmlessFlags: ['--model', '-m'],
  role: { method: 'first_message_flag', words: ['--prompt', '{text}'] },
  mcp: {
    modelName: opencodeToolName,
    config: {
      inHome: 'opencode.json',
      byDefault: '.config/opencode/opencode.json',
      variable: 'OPENCODE_CONFIG_DIR',
      format: 'json',
    },
    member: 'mcp',
    value: localEntry,
    forSession: opencodeSession,
    absence: { atStart: 'not tried again: `rouse agents relaunch`', whileRunning: 'the next call works' },
  },
  skills: { inHome: 'skills', byDefault: '.config/opencode/skills' },
  headless: HEADLESS,
  detectors: [DETECTOR],
  signals: ({ clock, changed }) => [new OpencodeHttp(clock, changed)],
  notes: {
    added: 'its HTTP port is not opened, since every local program could use it',
    beside: 'its port, where it was started with `--port`',
    taken: 'the transcript',
    ended: 'closing row `▣ … · 1.2s` or `interrupted`',
    mcp: '`OPENCODE_CONFIG_CONTENT`, or `OPENCODE_CONFIG`',
    allowsTools: 'asks for none; where you ask for all, each by its name; your deny wins',
    sandbox: 'none',
    allowsMail: '`"permission": { "bash": { "curl *": "allow" } }` in its configuration',
  },
};
