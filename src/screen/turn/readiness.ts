import {
  type AdmissionPolicy,
  type GateCode,
  inReasonOrder,
  type Reason,
  reason,
  reasonRow,
} from '../../domain/index.ts';
import { CALIBRATED_TOOL } from '../calibrate.ts';
import type { Facts, Phase } from '../facts.ts';

export interface GatePolicy {
  /** Whether the screen has been still for long enough; see the turn reducer. */
  stable: boolean;
  /** The turn reducer's word: a prompt just submitted runs before the screen shows it. */
  turnPhase?: Phase;
  /** `ready_only` binds all reasons; `if_no_pending` lets a busy turn and an unstable screen pass; `always` pending input too. */
  admission?: AdmissionPolicy;
  /** The tool's version is outside every known range, but calibration found the composer. */
  calibrated?: boolean;
  /** The screen has not been recognised for long; a word more, for whoever waits. */
  stalled?: boolean;
  /** What this lane typed and the tool has not answered; nothing more is typed until the screen moves. */
  unseen?: 'pasted' | 'entered' | 'pasted_long' | 'entered_long' | undefined;
  /** Which program holds the terminal was asked, and could not be found out. */
  processUnknown?: boolean;
  /** A mark typed to find the composer was not seen to go; whether the screen shows it. */
  trialMark?: 'shown' | 'unseen' | undefined;
  /** What the server that owns the terminal says against it. */
  owner?: readonly Reason[];
  /** A limit notice whose end has passed is history; see isLimitOver. */
  ignoreUsageLimit?: boolean;
}

export type Readiness = { ready: true } | { ready: false; reasons: Reason[] };

/** What one policy lets pass, those after it do too. */
const LENIENCE: Record<AdmissionPolicy, number> = { ready_only: 0, if_no_pending: 1, always: 2 };

/**
 * The one gate for prompts, whoever asks. Ready is what remains when nothing speaks against it: every doubt is a
 * reason. No policy lets a prompt into a dialog, a shell, a draft or a screen nobody recognised.
 */
export function decideReadiness(facts: Facts, policy: GatePolicy): Readiness {
  const lenience = LENIENCE[policy.admission ?? 'ready_only'];
  const reasons = doubts(facts, policy).filter(({ code }) => {
    const { typing } = reasonRow(code);
    return typing === 'never' || LENIENCE[typing] > lenience;
  });
  return reasons.length === 0 ? { ready: true } : { ready: false, reasons: inReasonOrder(reasons) };
}

/** The values of a reason as this screen gives it: none when it does not. `found`: by the rules before. */
type Rule = (facts: Facts, policy: GatePolicy, found: readonly Reason[]) => string | string[] | undefined;

const yes = (is: boolean | undefined): 'yes' | undefined => (is ? 'yes' : undefined);
const process =
  (kind: Facts['process']['value']): Rule =>
  (facts) =>
    facts.process.value === kind ? kind : undefined;

/** What speaks against typing, by what is seen. */
const RULES: Record<GateCode, Rule> = {
  tool_gone: process('gone'),
  shell_in_foreground: process('shell'),
  other_program: process('other'),
  process_unknown: (_, { processUnknown }) => (processUnknown ? 'unknown' : undefined),
  copy_mode: ({ copy_mode }) => yes(copy_mode),
  person_typing: ({ person_typing }) => yes(person_typing),
  unseen_paste: (_, { unseen }) => unseen,
  dialog: ({ dialog }) => dialog.value?.kind,
  trial_mark: (_, { trialMark }) => trialMark,
  unknown_version: (facts, policy) =>
    facts.version.status === 'outside' && !isTried(facts, policy) ? (facts.version.value ?? '') : undefined,
  menu: ({ menu }) => menu.value?.kind,
  shell_mode: ({ composer }) => (composer.value?.mode === 'shell' ? 'shell' : undefined),
  draft: ({ composer }) => {
    if (composer.value?.state === 'draft') return 'yes';
    return composer.value?.state === 'unclear' ? 'unknown' : undefined;
  },
  exit_armed: ({ exit_armed }) => yes(exit_armed),
  busy_turn: (facts, policy) => (isBusy(facts, policy) ? 'active' : undefined),
  pending_input: ({ surface }) => yes(surface.pending_input.value === 'yes'),
  contradiction: ({ contradictions }) => contradictions,
  usage_limit: ({ limit }, { ignoreUsageLimit }) =>
    limit.value && !ignoreUsageLimit ? (limit.value.resets ?? 'hit') : undefined,
  logged_out: ({ logged_out }) => logged_out.value || undefined,
  unstable_screen: (_, { stable }) => (stable ? undefined : 'false'),
  unknown_screen: (facts, _, found) =>
    isUnrecognised(facts, found) ? facts.surface.ready_posture.value : undefined,
  stalled_screen: (facts, { stalled }, found) => yes(stalled && isUnrecognised(facts, found)),
};

const CODES = Object.keys(RULES) as GateCode[];

function doubts(facts: Facts, policy: GatePolicy): Reason[] {
  const found: Reason[] = [...(policy.owner ?? [])];
  for (const code of CODES) {
    const values = RULES[code](facts, policy, found);
    if (values === undefined) continue;
    for (const value of [values].flat()) found.push(reason(code, value));
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
function isUnrecognised(facts: Facts, found: readonly Reason[]): boolean {
  if (facts.surface.ready_posture.value === 'yes') return false;
  const explaining = facts.composer.value ? 'composer' : 'absence';
  return !found.some(({ code }) => {
    const { explains } = reasonRow(code);
    return explains === explaining || explains === 'both';
  });
}
