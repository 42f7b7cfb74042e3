import {
  type AdmissionPolicy,
  type GateCode,
  inReasonOrder,
  type Reason,
  reason,
  reasonRow,
  type TurnPhase,
} from '../../domain/index.ts';
import { CALIBRATED_TOOL } from '../calibrate.ts';
import type { Facts } from '../facts.ts';

export interface GatePolicy {
  /** Whether the screen has been still for long enough; see the turn reducer. */
  stable: boolean;
  /** From the turn reducer: a prompt that was just submitted runs before the screen shows it. */
  turnPhase?: TurnPhase;
  /** `ready_only` applies all reasons; `if_no_pending` skips a busy turn and an unstable screen; `always` also pending input. */
  admission?: AdmissionPolicy;
  /** The tool's version is outside every known range, but calibration found the composer. */
  calibrated?: boolean;
  /** The screen has been unrecognised for long; added to the reason for people. */
  stalled?: boolean;
  /** Text that this lane typed and the tool has not reacted to; nothing more is typed until the screen moves. */
  unseen?: 'pasted' | 'entered' | 'pasted_long' | 'entered_long' | undefined;
  /** The program that holds the terminal could not be determined. */
  processUnknown?: boolean;
  /** A mark typed to find the composer was not seen to disappear; whether the screen shows it. */
  trialMark?: 'shown' | 'unseen' | undefined;
  /** Reasons of the server that owns the terminal. */
  owner?: readonly Reason[];
  /**
   * What is known of a usage limit beyond this screen; null: nothing is held back, although the screen may still show the
   * notice of one that is over. Undefined: the screen decides.
   */
  limit?: Reason | null | undefined;
}

export type Readiness = { ready: true } | { ready: false; reasons: Reason[] };

/** A policy skips everything that the policies before it skip. */
const LENIENCE: Record<AdmissionPolicy, number> = { ready_only: 0, if_no_pending: 1, always: 2 };

/**
 * The one gate for all prompts. An agent is ready if there is no reason against it, and every doubt is a reason. No policy
 * lets a prompt into a dialog, a shell, a draft or an unrecognised screen.
 */
export function decideReadiness(facts: Facts, policy: GatePolicy): Readiness {
  const lenience = LENIENCE[policy.admission ?? 'ready_only'];
  const reasons = doubts(facts, policy).filter(({ code }) => {
    const { typing } = reasonRow(code);
    return typing === 'never' || LENIENCE[typing] > lenience;
  });
  return reasons.length === 0 ? { ready: true } : { ready: false, reasons: inReasonOrder(reasons) };
}

/** The values of a reason on this screen; none if it does not apply. `found`: the reasons of the rules before. */
type Rule = (facts: Facts, policy: GatePolicy, found: readonly Reason[]) => string | string[] | undefined;

const yes = (is: boolean | undefined): 'yes' | undefined => (is ? 'yes' : undefined);
const process =
  (kind: Facts['process']['value']): Rule =>
  (facts) =>
    facts.process.value === kind ? kind : undefined;

/** The reasons against typing. */
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
  usage_limit: ({ limit: { value: notice } }, { limit }) => {
    if (limit !== undefined) return limit?.code === 'usage_limit' ? limit.value : undefined;
    return notice && !notice.spent ? (notice.resets ?? 'hit') : undefined;
  },
  credits_spent: ({ limit: { value: notice } }, { limit }) => {
    if (limit !== undefined) return limit?.code === 'credits_spent' ? limit.value : undefined;
    return notice?.spent ? notice.text : undefined;
  },
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

/** The tool is running, and its screen does not show what it waits for. */
export function isUnreadable(facts: Facts): boolean {
  return doubts(facts, { stable: true }).some(({ code }) => code === 'unknown_screen');
}

/** An unknown version that is usable: its composer was calibrated, and a positive sign shows that it is idle. */
function isTried(facts: Facts, { calibrated }: GatePolicy): boolean {
  return calibrated === true && (facts.proven_idle || facts.tool === CALIBRATED_TOOL);
}

/** Doubtful evidence yields to the turn reducer, which saw the composer empty and still. */
function isBusy({ busy }: Facts, { turnPhase }: GatePolicy): boolean {
  if (turnPhase === 'active') return true;
  return busy.value === 'yes' && !(busy.doubtful && turnPhase === 'ready');
}

/** The last check: without an open and empty composer nothing is ready, whatever else was found. */
function isUnrecognised(facts: Facts, found: readonly Reason[]): boolean {
  if (facts.surface.ready_posture.value === 'yes') return false;
  const explaining = facts.composer.value ? 'composer' : 'absence';
  return !found.some(({ code }) => {
    const { explains } = reasonRow(code);
    return explains === explaining || explains === 'both';
  });
}
