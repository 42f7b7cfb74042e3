import type { ToolHabits } from '../tool-habits.ts';

/** GitHub Copilot CLI 1.0. Standard input is the prompt, trimmed by the tool; the last line tells the chat's id. */
export const copilot: ToolHabits = {
  tool: 'copilot',
  shape: {
    prompt: 'stdin',
    role: 'prefix',
    create: ['{args}', '{model}', '--output-format', 'json'],
    exact: ['{args}', '{model}', '--resume={session}', '--output-format', 'json'],
    last: ['{args}', '{model}', '--continue', '--output-format', 'json'],
  },
  role: [],
  model: ['--model', '{name}'],
  reasoning: {
    words: ['--reasoning-effort', '{level}'],
    ladder: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  },
  events: [
    { when: { type: 'assistant.message' }, kind: 'assistant', message: ['data.content'] },
    { when: { type: 'tool.execution_start' }, kind: 'action_request', message: ['data.toolName'] },
    { when: { type: 'tool.execution_complete' }, kind: 'action_result', message: ['data.result.content'] },
    { when: { type: 'session.error' }, kind: 'diagnostic', message: ['data.message'] },
    { when: { type: 'result' }, kind: 'completion', message: ['exitCode'] },
    { when: { type: '*', data: '*' }, kind: 'progress', message: ['type'] },
  ],
};
