import type { ToolHabits } from '../tool-habits.ts';
import { CLAUDE_EVENTS } from './claude.ts';

/** Qwen Code 0.24. Standard input is the prompt when there is no other. */
export const qwen: ToolHabits = {
  tool: 'qwen',
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--output-format', 'stream-json'],
    exact: ['{args}', '{model}', '{role}', '--resume', '{session}', '--output-format', 'stream-json'],
    last: ['{args}', '{model}', '{role}', '--continue', '--output-format', 'stream-json'],
  },
  role: ['--append-system-prompt', '{text}'],
  model: ['--model', '{name}'],
  events: CLAUDE_EVENTS,
};
