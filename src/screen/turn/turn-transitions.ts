import type { Facts } from '../facts.ts';
import type { Instant, TurnState } from './turn-state.ts';

const KEPT = 24;

/** Records what changed between two states, in words and by field. */
export function noteTransition(before: TurnState, after: TurnState, facts: Facts, at: Instant): TurnState {
  const shown = watched(after, facts);
  const changed = Object.keys(shown).filter((field) => shown[field] !== before.shown[field]);
  if (changed.length === 0) return after;
  const summary = changed
    .map((field) => `${field} ${before.shown[field] ?? '-'} → ${shown[field]}`)
    .join(', ');
  const transition = { recorded_at_utc: at.utc, summary, changed_fields: changed };
  return { ...after, shown, transitions: [...before.transitions, transition].slice(-KEPT) };
}

function watched(state: TurnState, facts: Facts): Record<string, string> {
  const { surface } = facts;
  return {
    process: facts.process.value,
    'turn.phase': state.phase,
    'last_turn.result': state.lastTurn.result,
    'surface.accepting_input': surface.accepting_input.value,
    'surface.editing_input': surface.editing_input.value,
    'surface.ready_posture': surface.ready_posture.value,
    'surface.pending_input': surface.pending_input.value,
    dialog: facts.dialog.value?.kind ?? 'none',
    menu: facts.menu.value?.kind ?? 'none',
    stalled: state.stalled ? 'yes' : 'no',
    usage_limit: facts.limit.value ? 'hit' : 'none',
    logged_out: facts.logged_out.value ? 'yes' : 'no',
  };
}
