import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import type { ToolPreset } from './preset.ts';
import { qwen } from './qwen.ts';
import { scripted } from './scripted.ts';

/** The tools Rouse knows by name; every other program is launched as a command. */
export const PRESETS: readonly ToolPreset[] = [
  claude,
  codex,
  gemini,
  opencode,
  kimi,
  qwen,
  copilot,
  pi,
  scripted,
];

/** Names other programs use for the same tools. */
const ALIASES: Record<string, string> = { claude_code: 'claude', gemini_cli: 'gemini' };

export function presetOf(tool: string): ToolPreset | undefined {
  return PRESETS.find((preset) => preset.tool === (ALIASES[tool] ?? tool));
}
