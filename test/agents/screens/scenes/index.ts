import type { Visit } from '../scene.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { copilot } from './copilot.ts';
import { firstStarts } from './first-start.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { limits } from './limits.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { windows } from './windows.ts';

/** Every visit to a real program. */
export const VISITS: readonly Visit[] = [
  ...claude,
  ...codex,
  ...gemini,
  ...qwen,
  ...opencode,
  ...copilot,
  ...kimi,
  ...pi,
  ...firstStarts,
  ...limits,
  ...windows,
];
