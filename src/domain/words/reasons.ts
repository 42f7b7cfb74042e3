import type { AdmissionPolicy } from '../gateway-request.ts';
import { limitWords, type StandingCode } from './standings.ts';

export interface ReasonRow {
  /** Its name outside: `dialog` in `dialog='permission'`. Empty: another version sent only the value. */
  name: string;
  /** The only value it has, if several reasons share a name. */
  only?: string;
  /** What is the matter; empty if there is nothing to say. */
  words: string | ((value: string) => string);
  /** Who finds it: the gate on the screen, the server that owns the terminal, the surface, or the gateway. */
  by: 'gate' | 'owner' | 'surface' | 'gateway';
  /** The lowest policy with which a prompt is typed in spite of it. */
  typing: Exclude<AdmissionPolicy, 'ready_only'> | 'never';
  /** The standing of an agent that has it; `passing`: over in a moment and not worth showing. */
  standing: StandingCode | 'passing' | ((value: string) => StandingCode);
  /** Explains why there is no composer, or why it is not open and empty. */
  explains?: 'absence' | 'composer' | 'both';
}

/** For words that depend on the value; `otherwise` for a value that is not listed. */
const by =
  <T>(values: Readonly<Record<string, T>>, otherwise: T) =>
  (value: string): T =>
    Object.hasOwn(values, value) ? values[value]! : otherwise;

/** Makes rows of one finder. Nothing is typed in spite of them unless the row says so. */
const found =
  <By extends ReasonRow['by']>(by: By) =>
  (
    name: string,
    words: ReasonRow['words'],
    standing: ReasonRow['standing'],
    more: Partial<Pick<ReasonRow, 'only' | 'typing' | 'explains'>> = {},
  ): ReasonRow & { by: By } => ({ name, words, standing, by, typing: 'never', ...more });

const gate = found('gate');
const owner = found('owner');
const surface = found('surface');
const gateway = found('gateway');

/**
 * Why an agent must not be disturbed now, in the order of lists. The only table of them: each one's name outside, its
 * words, whether a prompt may be typed in spite of it, and the agent's standing.
 */
export const REASONS = {
  tool_gone: gate('process', 'the tool is not running', 'tool_gone', { only: 'gone', explains: 'absence' }),
  shell_in_foreground: gate('process', 'a shell is in front instead of the tool', 'tool_gone', {
    only: 'shell',
    explains: 'absence',
  }),
  other_program: gate('process', 'another program is in front instead of the tool', 'other_program', {
    only: 'other',
    explains: 'absence',
  }),
  process_unknown: gate('process', 'whether the tool runs cannot be found out now', 'process_unseen', {
    only: 'unknown',
    explains: 'absence',
  }),
  unavailable: surface('connectivity', 'the agent cannot be reached', 'out_of_reach'),
  copy_mode: gate('copy_mode', 'someone is scrolling in its window (tmux copy mode)', 'copy_mode'),
  person_typing: gate('person_typing', 'someone was typing just now', 'person_typing'),
  unseen_paste: gate(
    'unseen_paste',
    by(
      {
        entered: 'the tool has not answered since Enter was pressed',
        pasted_long: 'the tool has not shown for a while what was pasted into it',
        entered_long: 'the tool has not answered for a while since Enter was pressed',
      },
      'the tool has not shown what was pasted into it',
    ),
    by({ pasted_long: 'unseen_long', entered_long: 'unseen_long' }, 'unseen_paste'),
  ),
  cao_away: owner(
    'cao',
    by(
      { 'not asked yet': 'the CAO server that owns its terminal was not asked yet' },
      'the CAO server that owns its terminal does not answer',
    ),
    'cao_away',
  ),
  cao_terminal: owner('cao_terminal', 'CAO no longer knows its terminal', 'cao_terminal'),
  cao_window: owner('cao_window', 'its window is not called as CAO knows it', 'cao_window'),
  cao_pane: owner('cao_pane', 'another pane of its window is the one that CAO would type into', 'cao_pane'),
  cao_status: owner('cao_status', (status) => `CAO says ${status}`, 'cao_status'),
  cao_inbox: owner('cao_inbox', 'CAO has mail of its own for it, which goes first', 'owner_mail'),
  pane_input: owner('pane_input', (how) => `the input of its pane is ${how}`, 'pane_input'),
  cao_busy: owner('cao_status', 'CAO says processing', 'owner_working', {
    only: 'processing',
    typing: 'if_no_pending',
  }),
  dialog: gate(
    'dialog',
    (kind) => `a dialog is open: ${kind}`,
    by(
      {
        permission: 'permission_dialog',
        trust: 'trust_dialog',
        login: 'login_dialog',
        api_key: 'api_key_dialog',
        first_run: 'first_run',
        update: 'update_dialog',
        question: 'question',
        picker: 'picker',
        text_field: 'form',
      },
      'dialog',
    ),
    { explains: 'both' },
  ),
  dialog_changed: surface('dialog', 'the dialog that was meant is not on the screen any more', 'dialog', {
    only: 'changed',
  }),
  trial_mark: gate(
    'trial_mark',
    by(
      { shown: 'the mark typed to find its composer is still there' },
      'the mark typed to find its composer was not seen',
    ),
    by({ shown: 'trial_shown' }, 'trial_unseen'),
  ),
  unknown_version: gate(
    'tool_version',
    (version) => `its version ${version} is not known`,
    'unknown_version',
  ),
  unknown_screen: gate('ready_posture', 'its screen was not recognised', 'unknown_screen'),
  stalled_screen: gate(
    'stalled',
    'and has not been for long, so someone should look at it',
    'stalled_screen',
  ),
  menu: gate('menu', (kind) => `a menu is open: ${kind}`, 'menu', { explains: 'composer' }),
  shell_mode: gate('input_mode', 'its composer is in shell mode', 'shell_mode', { explains: 'composer' }),
  draft: gate(
    'editing_input',
    by({ yes: 'its composer holds a draft' }, 'its composer may hold a draft'),
    'draft',
    { explains: 'composer' },
  ),
  exit_armed: gate('exit_armed', 'one more key would end the tool', 'exit_armed', { explains: 'composer' }),
  busy_turn: gate('phase', 'it is working on a turn', 'working', {
    typing: 'if_no_pending',
    explains: 'composer',
  }),
  headless_turn: surface('active_turn_id', 'it is working on a turn', 'working'),
  pending_input: gate('pending_input', 'the tool holds input that it has not taken yet', 'pending_input', {
    typing: 'always',
  }),
  contradiction: gate('contradiction', (what) => `what is seen contradicts itself: ${what}`, 'contradiction'),
  usage_limit: gate('usage_limit', limitWords, by({ stays: 'limit_stays' }, 'usage_limit')),
  credits_spent: gate('credits_spent', (notice) => `its credits are used up: ${notice}`, 'credits_spent'),
  logged_out: gate(
    'logged_out',
    (message) => `the tool answers by itself until someone logs in there: ${message}`,
    'logged_out',
  ),
  unstable_screen: gate('stable', 'its screen is still changing', 'passing', { typing: 'if_no_pending' }),
  unnamed: surface('', (text) => text, 'not_ready'),
  request_admission: gateway(
    'request_admission',
    by(
      {
        blocked_reconciliation: 'earlier requests wait for "rouse agents gateway reconcile"',
        blocked_unavailable: 'the agent is not available',
      },
      '',
    ),
    'not_ready',
  ),
  active_execution: gateway(
    'active_execution',
    by({ running: 'the gateway is typing something else' }, ''),
    'not_ready',
  ),
  turn: gateway(
    'turn',
    by({ mail: 'mail waited longer and goes first' }, 'a reminder waited longer and goes first'),
    'not_ready',
  ),
  queue_depth: gateway('queue_depth', by({ '0': '' }, 'requests are queued before it'), 'not_ready'),
} satisfies Record<string, ReasonRow>;

export type ReasonCode = keyof typeof REASONS;

/** The reasons that a screen alone may give: the gate has a rule for each. */
export type GateCode = {
  [Code in ReasonCode]: (typeof REASONS)[Code]['by'] extends 'gate' ? Code : never;
}[ReasonCode];

/** One reason, from the code that found it to the code that shows it. */
export interface Reason {
  code: ReasonCode;
  value: string;
}
