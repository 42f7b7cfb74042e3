import { BACKEND } from '../../wire/houmao/index.ts';
import type { EventRule, HeadlessHabits } from '../headless-habits.ts';

/** The events of `--output-format stream-json`, which other tools use too. */
export const CLAUDE_EVENTS: EventRule[] = [
  { when: { type: 'system' }, kind: 'progress', message: ['subtype'] },
  {
    when: { type: 'assistant' },
    kind: 'assistant',
    each: 'message.content',
    parts: [
      { when: { type: 'text' }, kind: 'assistant', message: ['text'] },
      { when: { type: 'tool_use' }, kind: 'action_request', message: ['name'] },
      { when: { type: 'server_tool_use' }, kind: 'action_request', message: ['name'] },
      { when: { type: 'thinking' }, kind: 'progress', message: ['type'] },
      { when: { type: 'redacted_thinking' }, kind: 'progress', message: ['type'] },
      { when: { type: '*' }, kind: 'action_result', message: ['type'] },
    ],
  },
  {
    when: { type: 'user' },
    kind: 'progress',
    each: 'message.content',
    parts: [
      { when: { type: 'tool_result' }, kind: 'action_result', message: ['content'] },
      { when: { type: '*' }, kind: 'progress', message: ['text', 'type'] },
    ],
  },
  { when: { type: 'result' }, kind: 'completion', message: ['result', 'subtype'] },
  { when: { type: 'stream_event' }, kind: 'progress', message: ['event.type'] },
  { when: { type: 'rate_limit_event' }, kind: 'diagnostic', message: ['rate_limit_info.status', 'type'] },
];

/** Claude Code 2.1. With `-p` it takes the prompt from standard input, byte for byte; `--continue` may begin a new chat. */
export const HEADLESS: HeadlessHabits = {
  backend: BACKEND.claudeTurns,
  shape: {
    prompt: 'stdin',
    role: 'arguments',
    create: ['{args}', '{model}', '-p', '--verbose', '{role}', '--output-format', 'stream-json'],
    exact: [
      ...['{args}', '{model}', '-p', '--verbose', '{role}'],
      ...['--resume', '{session}', '--output-format', 'stream-json'],
    ],
    last: ['{args}', '{model}', '-p', '--verbose', '{role}', '--continue', '--output-format', 'stream-json'],
  },
  model: ['--model', '{name}'],
  reasoning: { words: ['--effort', '{level}'], ladder: ['low', 'medium', 'high', 'xhigh', 'max'] },
  events: CLAUDE_EVENTS,
};
