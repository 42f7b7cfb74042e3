import type { ToolHabits } from '../tool-habits.ts';

/**
 * Kimi Code 2.1. It takes a prompt only as an argument, so that every user of the machine can see it in the process
 * list while the turn runs. Its last line tells the chat's id; an interrupted turn tells none.
 */
export const kimi: ToolHabits = {
  tool: 'kimi',
  shape: {
    prompt: 'argument',
    role: 'prefix',
    create: ['{args}', '{model}', '-p', '{prompt}', '--output-format', 'stream-json'],
    exact: [
      ...['{args}', '{model}', '--session', '{session}'],
      ...['-p', '{prompt}', '--output-format', 'stream-json'],
    ],
    last: ['{args}', '{model}', '--continue', '-p', '{prompt}', '--output-format', 'stream-json'],
  },
  role: [],
  model: ['--model', '{name}'],
  events: [
    { when: { type: 'session.resume_hint' }, kind: 'completion', message: ['content'] },
    { when: { role: 'meta' }, kind: 'progress', message: ['type'] },
    {
      when: { role: 'assistant', tool_calls: '*' },
      kind: 'action_request',
      each: 'tool_calls',
      parts: [{ when: { type: '*' }, kind: 'action_request', message: ['function.name', 'type'] }],
    },
    { when: { role: 'assistant' }, kind: 'assistant', message: ['content'] },
    { when: { role: 'tool' }, kind: 'action_result', message: ['content'] },
  ],
};
