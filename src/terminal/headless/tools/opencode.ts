import type { ToolHabits } from '../tool-habits.ts';

/** OpenCode 1.18. Without a message it reads standard input, exactly; a message given as an argument it puts in quotes. */
export const opencode: ToolHabits = {
  tool: 'opencode',
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['run', '{args}', '{model}', '--format', 'json'],
    exact: ['run', '{args}', '{model}', '--session', '{session}', '--format', 'json'],
    last: ['run', '{args}', '{model}', '--continue', '--format', 'json'],
  },
  role: [],
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
