import { invalid, nearest } from '../../base/index.ts';
import type { Detector } from '../detector.ts';
import { compareVersions, isInRange } from '../version-range.ts';
import { claude } from './claude.ts';
import { codex, codexInline } from './codex.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';
import { scripted } from './scripted.ts';

/** Every detector; of several for one tool the newest comes first. */
export const DETECTORS: readonly Detector[] = [
  claude,
  codex,
  codexInline,
  gemini,
  opencode,
  kimi,
  qwen,
  copilot,
  pi,
  scripted,
];

export const TOOLS: readonly string[] = [...new Set(DETECTORS.map(({ tool }) => tool))];

export function isKnownTool(tool: string): boolean {
  return TOOLS.includes(tool);
}

export interface WhichDetector {
  version?: string | undefined;
  /** Whether the screen is the alternate one; used when nobody knows the version. */
  alternate?: boolean | undefined;
}

/** The detector whose range holds the version; else the tool's nearest, which will say that the version is outside. */
export function detectorFor(tool: string, { version, alternate }: WhichDetector = {}): Detector {
  const known = DETECTORS.filter((detector) => detector.tool === tool);
  const buffer = alternate === undefined ? undefined : alternate ? 'alternate' : 'main';
  const fitting =
    version === undefined
      ? known.find((detector) => detector.buffer === undefined || detector.buffer === buffer)
      : known.find(({ versions }) => isInRange(version, versions));
  const older = known.findLast(({ versions }) => version && compareVersions(version, versions.from) < 0);
  const detector = fitting ?? older ?? known[0];
  if (detector) return detector;
  const [near] = nearest(tool, TOOLS);
  throw invalid(`there is no detector for tool "${tool}"`, {
    hint: `known tools: ${TOOLS.join(', ')}${near ? `; did you mean ${near}?` : ''}`,
  });
}
