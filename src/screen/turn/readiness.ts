import { CALIBRATED_TOOL } from '../calibrate.ts';
import type { Facts, Phase } from '../facts.ts';

/** Why a prompt must wait. In the order in which they are told. */
export const REASONS = [
  'tool_gone',
  'shell_in_foreground',
  'other_program',
  'copy_mode',
  'person_typing',
  'unseen_paste',
  'owner',
  'owner_busy',
  'dialog',
  'unknown_version',
  'unknown_screen',
  'stalled_screen',
  'menu',
  'shell_mode',
  'draft',
  'exit_armed',
  'busy_turn',
  'pending_input',
  'contradiction',
  'usage_limit',
  'logged_out',
  'unstable_screen',
] as const;

export type ReasonCode = (typeof REASONS)[number];

export interface Reason {
  code: ReasonCode;
  /** The same as `name='value'`, for a refusal's detail. */
  fragment: string;
}

export interface GatePolicy {
  /** Whether the screen has been still for long enough; see the turn reducer. */
  stable: boolean;
  /** The turn reducer's word: a prompt just submitted runs before the screen shows it. */
  turnPhase?: Phase;
  /** `ready_only` binds all reasons; `if_no_pending` lets a busy turn and an unstable screen pass; `always` pending input too. */
  admission?: 'ready_only' | 'if_no_pending' | 'always';
  /** The tool's version is outside every known range, but calibration found the composer. */
  calibrated?: boolean;
  /** The screen has not been recognised for long; a word more, for whoever waits. */
  stalled?: boolean;
  /** What this lane typed and the tool has not answered; nothing more is typed until the screen moves. */
  unseen?: 'pasted' | 'entered' | undefined;
  /** What the server that owns the terminal says against it. */
  owner?: readonly OwnerDoubt[];
  /** A limit notice whose end has passed is history; see isLimitOver. */
  ignoreUsageLimit?: boolean;
}

export interface OwnerDoubt {
  name: string;
  value: string;
  /** Only that a turn is running: what lets a prompt into a busy turn lets it pass. */
  busy?: boolean;
}

export type Readiness = { ready: true } | { ready: false; reasons: Reason[] };

const PASSED_BY: Record<NonNullable<GatePolicy['admission']>, ReadonlySet<ReasonCode>> = {
  ready_only: new Set(),
  if_no_pending: new Set(['busy_turn', 'owner_busy', 'unstable_screen']),
  always: new Set(['busy_turn', 'owner_busy', 'unstable_screen', 'pending_input']),
};

/**
 * The one gate for prompts, whoever asks. Ready is what remains when nothing speaks against it: every doubt is a
 * reason. No policy lets a prompt into a dialog, a shell, a draft or a screen nobody recognised.
 */
export function decideReadiness(facts: Facts, policy: GatePolicy): Readiness {
  const passed = PASSED_BY[policy.admission ?? 'ready_only'];
  const reasons = doubts(facts, policy)
    .filter(({ code }) => !passed.has(code))
    .sort((a, b) => REASONS.indexOf(a.code) - REASONS.indexOf(b.code));
  return reasons.length === 0 ? { ready: true } : { ready: false, reasons };
}

function doubts(facts: Facts, policy: GatePolicy): Reason[] {
  const found: Reason[] = [];
  const add = (code: ReasonCode, name: string, value: string): void => {
    found.push({
      code,
      fragment: `${name}='${value.replace(/\s+/g, ' ').replace(/'/g, '’').slice(0, 120)}'`,
    });
  };
  const { composer, surface } = facts;
  if (facts.process.value === 'gone') add('tool_gone', 'process', 'gone');
  if (facts.process.value === 'shell') add('shell_in_foreground', 'process', 'shell');
  if (facts.process.value === 'other') add('other_program', 'process', 'other');
  if (facts.copy_mode) add('copy_mode', 'copy_mode', 'yes');
  if (facts.person_typing) add('person_typing', 'person_typing', 'yes');
  if (policy.unseen) add('unseen_paste', 'unseen_paste', policy.unseen);
  for (const { name, value, busy } of policy.owner ?? []) add(busy ? 'owner_busy' : 'owner', name, value);
  if (facts.version.status === 'outside' && !isTried(facts, policy)) {
    add('unknown_version', 'tool_version', facts.version.value ?? '');
  }
  if (facts.dialog.value) add('dialog', 'dialog', facts.dialog.value.kind);
  if (facts.menu.value) add('menu', 'menu', facts.menu.value.kind);
  if (composer.value?.mode === 'shell') add('shell_mode', 'input_mode', 'shell');
  if (composer.value?.state === 'draft') add('draft', 'editing_input', 'yes');
  if (composer.value?.state === 'unclear') add('draft', 'editing_input', 'unknown');
  if (facts.exit_armed) add('exit_armed', 'exit_armed', 'yes');
  if (isBusy(facts, policy)) add('busy_turn', 'phase', 'active');
  if (surface.pending_input.value === 'yes') add('pending_input', 'pending_input', 'yes');
  for (const disagreement of facts.contradictions) add('contradiction', 'contradiction', disagreement);
  if (facts.limit.value && !policy.ignoreUsageLimit)
    add('usage_limit', 'usage_limit', facts.limit.value.resets ?? 'hit');
  if (facts.logged_out.value) add('logged_out', 'logged_out', facts.logged_out.value);
  if (!policy.stable) add('unstable_screen', 'stable', 'false');
  if (isUnrecognised(facts, found)) {
    add('unknown_screen', 'ready_posture', surface.ready_posture.value);
    if (policy.stalled) add('stalled_screen', 'stalled', 'yes');
  }
  return found;
}

/** The tool is there, and nothing on its screen says what it waits for. */
export function isUnreadable(facts: Facts): boolean {
  return doubts(facts, { stable: true }).some(({ code }) => code === 'unknown_screen');
}

/** A version nobody has seen: its composer was tried out, and more than the absence of busy rows says that it is idle. */
function isTried(facts: Facts, { calibrated }: GatePolicy): boolean {
  return calibrated === true && (facts.proven_idle || facts.tool === CALIBRATED_TOOL);
}

/** Doubtful evidence yields to the turn reducer, which saw the composer empty and still. */
function isBusy({ busy }: Facts, { turnPhase }: GatePolicy): boolean {
  if (turnPhase === 'active') return true;
  return busy.value === 'yes' && !(busy.doubtful && turnPhase === 'ready');
}

/** The last bar: whatever else was found or not, without a composer that is open and empty nothing is ready. */
function isUnrecognised(facts: Facts, found: Reason[]): boolean {
  if (facts.surface.ready_posture.value === 'yes') return false;
  const explained = facts.composer.value ? EXPLAINS_COMPOSER : EXPLAINS_ABSENCE;
  return !found.some(({ code }) => explained.has(code));
}

const EXPLAINS_ABSENCE = new Set<ReasonCode>(['dialog', 'tool_gone', 'shell_in_foreground', 'other_program']);
const EXPLAINS_COMPOSER = new Set<ReasonCode>([
  'dialog',
  'menu',
  'shell_mode',
  'draft',
  'exit_armed',
  'busy_turn',
]);
