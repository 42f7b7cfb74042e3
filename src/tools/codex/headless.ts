import { BACKEND } from '../../wire/houmao/index.ts';
import type { HeadlessHabits } from '../headless-habits.ts';

/** Codex 0.118 to 0.166. `-` takes the prompt from standard input; `resume --last` may begin a new chat. */
export const HEADLESS: HeadlessHabits = {
  backend: BACKEND.codexTurns,
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['exec', '--json', '{args}', '{role}', '{model}', '-'],
    exact: ['exec', '--json', '{args}', '{role}', '{model}', 'resume', '{session}', '-'],
    last: ['exec', '--json', '{args}', '{role}', '{model}', 'resume', '--last', '-'],
  },
  model: ['-m', '{name}'],
  reasoning: {
    words: ['-c', 'model_reasoning_effort="{level}"'],
    ladder: ['minimal', 'low', 'medium', 'high', 'xhigh'],
  },
  events: [
    { when: { type: 'thread.started' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn.started' }, kind: 'progress', message: ['type'] },
    { when: { type: 'turn.completed' }, kind: 'completion', message: ['type'] },
    { when: { type: 'turn.failed' }, kind: 'completion', message: ['error.message', 'type'] },
    { when: { type: 'error' }, kind: 'diagnostic', message: ['message'] },
    {
      when: { type: 'item.completed', 'item.type': 'agent_message' },
      kind: 'assistant',
      message: ['item.text'],
    },
    {
      when: { type: 'item.completed', 'item.type': 'reasoning' },
      kind: 'progress',
      message: ['item.type'],
    },
    { when: { type: 'item.completed', 'item.type': 'todo_list' }, kind: 'progress', message: ['item.type'] },
    {
      when: { type: 'item.completed', 'item.type': 'error' },
      kind: 'diagnostic',
      message: ['item.message'],
    },
    {
      when: { type: 'item.completed', 'item.type': '*' },
      kind: 'action_result',
      message: ['item.aggregated_output', 'item.command', 'item.tool', 'item.query', 'item.type'],
    },
    { when: { type: 'item.started', 'item.type': 'todo_list' }, kind: 'progress', message: ['item.type'] },
    {
      when: { type: 'item.started' },
      kind: 'action_request',
      message: ['item.command', 'item.tool', 'item.query', 'item.type'],
    },
    { when: { type: 'item.updated' }, kind: 'progress', message: ['item.type'] },
  ],
};
