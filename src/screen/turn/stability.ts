import { createHash } from 'node:crypto';
import type { Facts } from '../facts.ts';
import type { TurnState } from './turn-state.ts';

/**
 * A fingerprint of everything that matters. Clocks, tips and token counters in the footer are not part of it, so a waiting
 * agent with a changing footer is stable. Any change of the transcript or the composer changes it.
 */
export function stateSignature(facts: Facts, turn: Pick<TurnState, 'phase' | 'lastTurn'>): string {
  const { surface } = facts;
  return fingerprint(
    JSON.stringify([
      facts.process.value,
      facts.composer.value,
      facts.busy.evidence.length > 0,
      facts.dialog.value,
      facts.menu.value,
      facts.limit.value,
      facts.logged_out.value,
      surface.accepting_input.value,
      surface.editing_input.value,
      surface.ready_posture.value,
      surface.pending_input.value,
      facts.turn_signature,
      facts.excerpt,
      turn.phase,
      turn.lastTurn.result,
    ]),
  );
}

export function fingerprint(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

export interface Stability {
  signature: string;
  stable: boolean;
  stable_for_seconds: number;
  stable_since_utc: string | null;
}

/** The tool still draws the end of a turn for a moment after reporting it. */
const AFTER_REPORTED_END_SECONDS = 0.1;

/** How long the screen must be still before something is typed: less if the tool itself reported the end of its turn. */
export function stillBeforeTyping(
  { endReported }: TurnState,
  { reported }: Pick<Facts, 'reported'>,
  thresholdSeconds: number,
): number {
  return endReported && reported === 'idle'
    ? Math.min(AFTER_REPORTED_END_SECONDS, thresholdSeconds)
    : thresholdSeconds;
}

export function stabilityAt(turn: TurnState, atMs: number, thresholdSeconds: number): Stability {
  const { signature, sinceMs, sinceUtc } = turn.stability;
  const held = signature === '' ? 0 : Math.max(0, atMs - sinceMs) / 1000;
  return {
    signature,
    stable: signature !== '' && held >= thresholdSeconds,
    stable_for_seconds: Math.round(held * 1000) / 1000,
    stable_since_utc: sinceUtc,
  };
}
