import type { ToolHabits } from '../tool-habits.ts';
import { CLAUDE_EVENTS } from './claude.ts';

/** The scripted agent. Unlike real tools it refuses to continue where there is no chat yet. */
export const scripted: ToolHabits = {
  tool: 'scripted',
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '{role}', '--print', '--output-format', 'stream-json'],
    exact: [
      ...['{args}', '{model}', '{role}', '--resume', '{session}'],
      ...['--print', '--output-format', 'stream-json'],
    ],
    last: ['{args}', '{model}', '{role}', '--continue', '--print', '--output-format', 'stream-json'],
  },
  role: ['--append-system-prompt', '{text}'],
  model: ['--model', '{name}'],
  events: CLAUDE_EVENTS,
};
