import { crashPoint, type Log, messageOf } from '../../../base/index.ts';
import type { HeadlessProgress } from '../headless-manifest.ts';
import type { VisibleLog } from '../runner/visible-log.ts';
import { resumesById, type TurnTool } from './build-turn.ts';
import { type CurrentTurn, settleCurrentTurn } from './current-turn.ts';
import { type Judged, judgeTurn } from './judge-turn.ts';
import { pruneTurns } from './prune-turns.ts';
import type { TurnLimits } from './running-turn.ts';
import type { TurnEnd } from './turn-end.ts';

export interface EndedTurn {
  current: CurrentTurn;
  end: TurnEnd;
  /** What the manifest is to say now; null when nothing changed. */
  progress: HeadlessProgress | null;
}

export interface SettleHost {
  root: string;
  tool: TurnTool;
  limits: TurnLimits;
  keepTurns: number;
  save: (progress: HeadlessProgress) => Promise<void>;
  visible: VisibleLog;
  log: Log;
}

/** The result into the manifest, then into current.json, so that a crash in between only makes it happen again. */
export async function settleTurn({ current, end, progress }: EndedTurn, host: SettleHost): Promise<Judged> {
  const { root, tool, limits, keepTurns, save, visible, log } = host;
  const judged = judgeTurn(end, {
    tool: tool.habits.tool,
    needsSessionId: resumesById(tool.shape),
    timeoutMs: limits.timeoutMs,
  });
  visible.write(current.turn_id, `ended with code ${end.exitCode ?? 'unknown'}`, judged.reasons.join(' '));
  crashPoint('headless.ended');
  try {
    if (progress) await save(progress);
    crashPoint('headless.saved');
    settleCurrentTurn(root, current);
    pruneTurns(root, keepTurns, current.turn_id);
  } catch (error) {
    log.error('the turn’s result was not saved', { turn: current.turn_id, cause: messageOf(error) });
  }
  return judged;
}
