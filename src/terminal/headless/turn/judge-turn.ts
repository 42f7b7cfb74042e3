import type { DeliveryOutcome } from '../../port.ts';
import type { HeadlessProgress } from '../headless-manifest.ts';
import type { TurnEnd } from './turn-end.ts';

export interface Judged {
  outcome: DeliveryOutcome;
  reasons: string[];
}

export interface JudgeFacts {
  tool: string;
  /** The tool can be told which chat to go on with, so it must tell us. */
  needsSessionId: boolean;
  timeoutMs: number | null;
}

/** How a turn ended for whoever asked for it. A finished turn that was told to stop just then has finished. */
export function judgeTurn(end: TurnEnd, { tool, needsSessionId, timeoutMs }: JudgeFacts): Judged {
  if (!end.toolRan) return failed(`${tool} could not be started`, end);
  if (end.stopped !== null && !(end.exitCode === 0 && end.completed)) {
    switch (end.stopped) {
      case 'interrupted':
        return { outcome: 'cancelled', reasons: ['the turn was interrupted'] };
      case 'timeout':
        return failed(`the turn took longer than ${(timeoutMs ?? 0) / 1000} s and was ended`, end);
      case 'output_limit':
        return failed('the turn printed more than is kept and was ended', end);
      case 'session_lost':
        return failed('the agent’s tmux session ended, and the turn with it', end);
    }
  }
  if (end.exitCode === null)
    return {
      outcome: 'unconfirmed',
      reasons: ['the turn ended while nobody was looking; its exit code is not known'],
    };
  if (end.exitCode !== 0) return failed(`${tool} ended with code ${end.exitCode}`, end);
  if (needsSessionId && end.sessionId === null) {
    const unread = end.unreadLines > 0 ? ` (${end.unreadLines} lines were too long to read)` : '';
    return failed(`${tool} ended well but reported no session id${unread}`, end);
  }
  return { outcome: 'submitted', reasons: [] };
}

function failed(reason: string, { stderrTail, remark }: TurnEnd): Judged {
  const reasons = [stderrTail === '' ? reason : `${reason}: ${stderrTail}`];
  if (remark !== '') reasons.push(`it said: ${remark.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')}`);
  return { outcome: 'failed', reasons };
}

/**
 * What the manifest is to say after a turn. The chat is pinned when the turn ended well, or when work was done in it: a
 * chat the tool may not even have stored would make every later turn fail.
 */
export function progressAfter(
  before: HeadlessProgress,
  end: TurnEnd,
  turn: { index: number; carriesRole: boolean },
): HeadlessProgress {
  const real = end.sessionId !== null && (end.exitCode === 0 || end.sawWork);
  if (!real) return before;
  return {
    sessionId: end.sessionId,
    turnIndex: Math.max(before.turnIndex, turn.index),
    roleBootstrapApplied: before.roleBootstrapApplied || turn.carriesRole,
  };
}
