import { limitIn } from '../../screen/index.ts';
import type { LimitSeen } from '../limits/park-until.ts';
import type { TurnEnd } from './turn/settle-turn.ts';

/**
 * The usage limit with which a turn without a screen ended: the tool failed, and stated it in its last remark or on standard
 * error. A turn that ended well proves that there is none, whatever the model wrote.
 */
export function limitOfTurn({ exitCode, stopped, remark, stderrTail }: TurnEnd): LimitSeen | undefined {
  if (exitCode === null || exitCode === 0 || stopped !== null) return undefined;
  const notice = limitIn(remark) ?? limitIn(stderrTail);
  return notice && { ...notice, cut: true, untilMs: null, source: 'headless_turn' };
}
