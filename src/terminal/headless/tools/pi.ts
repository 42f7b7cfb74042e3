import type { ToolHabits } from '../tool-habits.ts';

/** Pi 0.73. It trims the prompt. */
export const pi: ToolHabits = {
  tool: 'pi',
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--mode', 'json', '-p'],
    exact: ['{args}', '{model}', '{role}', '--session', '{session}', '--mode', 'json', '-p'],
    last: ['{args}', '{model}', '{role}', '-c', '--mode', 'json', '-p'],
  },
  role: ['--append-system-prompt', '{text}'],
  model: ['--model', '{name}'],
  reasoning: {
    words: ['--thinking', '{level}'],
    ladder: ['off', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  },
  sessionId: { when: { type: 'session' }, path: 'id' },
  events: [
    { when: { type: 'session' }, kind: 'progress', message: ['type'] },
    { when: { type: 'agent_start' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn_start' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn_end' }, kind: 'progress', message: ['type'] },
    { when: { type: 'message_start' }, kind: 'progress', message: ['message.role'] },
    { when: { type: 'message_update' }, kind: 'progress', message: ['assistantMessageEvent.type'] },
    {
      when: { type: 'message_end', 'message.role': 'assistant' },
      kind: 'assistant',
      message: ['message.content', 'message.errorMessage'],
    },
    { when: { type: 'message_end' }, kind: 'progress', message: ['message.role'] },
    { when: { type: 'tool_execution_start' }, kind: 'action_request', message: ['toolName'] },
    { when: { type: 'tool_execution_update' }, kind: 'progress', message: ['toolName'] },
    { when: { type: 'tool_execution_end' }, kind: 'action_result', message: ['toolName'] },
    { when: { type: 'agent_end' }, kind: 'completion', message: ['type'] },
  ],
};
