import type { LastTurnResult, TuiTimings, TurnPhase } from '../../domain/index.ts';
import type { Facts } from '../facts.ts';
import { isUnreadable } from './readiness.ts';
import { stateSignature } from './stability.ts';
import type { Anchor, Instant, TurnState } from './turn-state.ts';
import { noteTransition } from './turn-transitions.ts';

type Times = Pick<
  TuiTimings,
  | 'completion_stability_seconds'
  | 'stale_active_recovery_seconds'
  | 'final_stable_active_recovery_seconds'
  | 'unknown_to_stalled_timeout_seconds'
>;

/**
 * The state after one more observation. An outcome needs evidence of its own turn: a turn must have been noted or seen, and
 * the screen must differ from the one before it. A turn whose start and end the tool reports has ended; a turn seen only on
 * the screen must look finished for a while. With a clearly empty composer, time may make an agent ready again, but it
 * never proves that a turn ended well.
 */
export function reduceTurn(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const next = settle(decide(state, facts, at, times), facts, at, times);
  return noteTransition(state, next, facts, at);
}

/** A prompt was submitted: the turn runs from now on, whatever the screen still shows. */
export function notePrompt(state: TurnState, facts: Facts | undefined, at: Instant): TurnState {
  const anchor: Anchor = {
    source: 'explicit_input',
    sinceMs: at.ms,
    signature: facts?.turn_signature ?? '',
    seen: false,
  };
  const noted: TurnState = {
    ...state,
    phase: 'active',
    anchor,
    settling: null,
    endReported: false,
    unreadableSinceMs: null,
    stalled: false,
    lastTurn: { result: 'none', source: 'none', updated_at_utc: at.utc },
    stability: { signature: '', sinceMs: at.ms, sinceUtc: null },
  };
  return facts ? noteTransition(state, noted, facts, at) : noted;
}

function decide(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  if (isGone(facts)) return { ...state, phase: 'unknown', anchor: null, settling: null };
  if (facts.busy.value === 'yes') {
    return facts.busy.doubtful ? doubtStart(state, facts, at, times) : activate(state, facts, at, times);
  }
  const { anchor } = state;
  const ready = facts.surface.ready_posture.value === 'yes';
  const own = anchor !== null && (anchor.seen || anchor.signature !== facts.turn_signature);
  if (facts.composer.value?.state === 'draft' && !anchor) {
    return { ...state, phase: facts.phase.value, settling: null, lastTurn: withoutOutcome(state) };
  }
  if (own && facts.interrupted.value) return finish(state, 'interrupted', facts.phase.value, at);
  if (own && facts.known_failure.value) return finish(state, 'known_failure', facts.phase.value, at);
  if (own && ready && anchor.busyReported && facts.reported === 'idle')
    return { ...finish(state, 'success', 'ready', at), endReported: true };
  if (own && ready && facts.success_candidate.value) return settleSuccess(state, facts, at, times);
  if (anchor && !own) return waitForTurn(state, facts, at, times);
  return { ...state, phase: ready ? 'ready' : facts.phase.value, settling: null };
}

function isGone(facts: Facts): boolean {
  return facts.process.value !== 'tool' && facts.process.value !== 'unknown';
}

function activate(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const fresh: Anchor = {
    source: 'surface_inference',
    sinceMs: at.ms,
    signature: facts.turn_signature,
    seen: true,
  };
  const same = isSameTurn(state, at, times) && state.anchor ? state.anchor : fresh;
  const busyReported = same.busyReported === true || facts.reported === 'busy';
  const sure = same.sure === true || !facts.busy.doubtful;
  const anchor = { ...same, seen: true, sure, busyReported };
  return {
    ...state,
    phase: 'active',
    anchor,
    settling: null,
    endReported: false,
    overruledAtMs: null,
    lastTurn: withoutOutcome(state),
  };
}

/** Activity after a still, ready period is another turn, begun by someone else. */
function isSameTurn({ anchor, phase, stability }: TurnState, at: Instant, times: Times): boolean {
  if (!anchor?.seen || phase === 'active') return true;
  return at.ms - stability.sinceMs < times.completion_stability_seconds * 1000;
}

/**
 * A start was seen or reported, but no end. It is believed until the composer has been empty and still for a while; longer
 * if it is our own prompt: the tool has taken it and may be slow to begin.
 */
function doubtStart(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const reportedMs = facts.busy.source === 'screen' ? state.stability.sinceMs : at.ms - facts.busy.ageMs;
  if (state.overruledAtMs !== null && reportedMs <= state.overruledAtMs)
    return { ...state, phase: facts.surface.ready_posture.value === 'yes' ? 'ready' : 'unknown' };
  const isOurs = state.anchor?.source === 'explicit_input' && !state.anchor.sure;
  const seconds = isOurs ? times.final_stable_active_recovery_seconds : times.stale_active_recovery_seconds;
  const still = at.ms - Math.max(state.stability.sinceMs, reportedMs) >= seconds * 1000;
  if (state.phase === 'active' && still && facts.surface.ready_posture.value === 'yes') {
    return { ...state, phase: 'ready', anchor: null, settling: null, overruledAtMs: at.ms };
  }
  return activate(state, facts, at, times);
}

/** A new turn or a draft clears the old outcome. */
function withoutOutcome({ lastTurn }: TurnState): TurnState['lastTurn'] {
  return lastTurn.result === 'none' ? lastTurn : { ...lastTurn, result: 'none', source: 'none' };
}

function finish(state: TurnState, result: LastTurnResult, phase: TurnPhase, at: Instant): TurnState {
  const source = state.anchor?.source ?? 'surface_inference';
  return {
    ...state,
    phase,
    anchor: null,
    settling: null,
    lastTurn: { result, source, updated_at_utc: at.utc },
  };
}

function settleSuccess(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const { settling } = state;
  const same = settling?.signature === facts.turn_signature;
  if (!same)
    return { ...state, phase: 'ready', settling: { signature: facts.turn_signature, sinceMs: at.ms } };
  const held = at.ms - settling.sinceMs >= times.completion_stability_seconds * 1000;
  return held ? finish(state, 'success', 'ready', at) : { ...state, phase: 'ready' };
}

/** Noted, but not seen yet. After a long period with a still, empty composer the note expires unproven. */
function waitForTurn(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const ready = facts.surface.ready_posture.value === 'yes';
  const patience = times.final_stable_active_recovery_seconds * 1000;
  const since = Math.max(state.anchor?.sinceMs ?? at.ms, state.stability.sinceMs);
  if (ready && at.ms - since >= patience) return { ...state, phase: 'ready', anchor: null, settling: null };
  return { ...state, phase: 'active', settling: null };
}

/** Updates how long nothing changed, and how long the screen could not be read. */
function settle(state: TurnState, facts: Facts, at: Instant, times: Times): TurnState {
  const signature = stateSignature(facts, state);
  const unreadable = state.phase === 'unknown' && isUnreadable(facts);
  const unreadableSinceMs = unreadable ? (state.unreadableSinceMs ?? at.ms) : null;
  const stalled =
    unreadableSinceMs !== null &&
    at.ms - unreadableSinceMs >= times.unknown_to_stalled_timeout_seconds * 1000;
  const next = { ...state, unreadableSinceMs, stalled };
  if (signature === state.stability.signature) return next;
  return { ...next, stability: { signature, sinceMs: at.ms, sinceUtc: at.utc } };
}
