import type { ToolHabits } from '../tool-habits.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { scripted } from './scripted.ts';

export const KNOWN_TOOLS: readonly ToolHabits[] = [
  claude,
  codex,
  gemini,
  kimi,
  opencode,
  qwen,
  copilot,
  pi,
  scripted,
];

/** A program known by nothing but its name: its events are read by the rules of whichever tool they look like. */
export function habitsOf(tool: string): ToolHabits {
  const known = KNOWN_TOOLS.find((each) => each.tool === tool);
  if (known) return known;
  const args = ['{args}', '{model}'];
  return {
    tool,
    shape: { prompt: 'stdin', role: 'prefix', create: args, exact: args, last: args },
    role: [],
    model: [],
    events: [claude, codex, gemini, kimi, opencode].flatMap(({ events }) => events),
  };
}
