import type { ToolHabits } from '../tool-habits.ts';

/** Gemini CLI 0.61. An empty `-p` makes it headless; what it reads from standard input is then the whole prompt. */
export const gemini: ToolHabits = {
  tool: 'gemini',
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '--resume', '{session}', '-p', '', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '--resume', 'latest', '-p', '', '--output-format', 'stream-json'],
  },
  role: [],
  model: ['--model', '{name}'],
  events: [
    { when: { type: 'init' }, kind: 'progress', message: ['type'] },
    { when: { type: 'message', role: 'assistant' }, kind: 'assistant', message: ['content'] },
    { when: { type: 'message' }, kind: 'progress', message: ['role'] },
    { when: { type: 'tool_use' }, kind: 'action_request', message: ['tool_name'] },
    { when: { type: 'tool_result' }, kind: 'action_result', message: ['output', 'status'] },
    { when: { type: 'error' }, kind: 'diagnostic', message: ['message'] },
    { when: { type: 'result' }, kind: 'completion', message: ['error.message', 'status'] },
  ],
};
