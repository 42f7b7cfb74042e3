import type { A2aTask } from './messages.ts';
import { type CodeOf, codesOf } from './table.ts';

/** What a screen shows of an agent. The names are those of `tui/state`. */
export const TRISTATES = ['yes', 'no', 'unknown'] as const;

/** Whether the agent works on a turn. */
export const TURN_PHASES = ['ready', 'active', 'unknown'] as const;

export const BUSINESS_STATES = ['idle', 'working', 'awaiting_operator', 'unknown'] as const;

/** What its composer accepts. */
export const INPUT_MODES = ['freeform', 'modal', 'closed', 'unknown'] as const;

export type Tristate = (typeof TRISTATES)[number];
export type TurnPhase = (typeof TURN_PHASES)[number];
export type BusinessState = (typeof BUSINESS_STATES)[number];
export type InputMode = (typeof INPUT_MODES)[number];

/** How a turn ended. */
export const TURN_RESULTS = {
  success: { task: 'COMPLETED' },
  interrupted: { task: 'CANCELED' },
  known_failure: { task: 'FAILED' },
} as const satisfies Record<string, { task: A2aTask }>;

/** `none`: no turn has ended yet. */
export const LAST_TURN_RESULTS = [...codesOf(TURN_RESULTS), 'none'] as const;

/** What showed that the last turn began: a prompt that was noted, or the screen alone. */
export const TURN_SOURCES = ['explicit_input', 'surface_inference', 'none'] as const;

export type TurnResult = CodeOf<typeof TURN_RESULTS>;
export type LastTurnResult = (typeof LAST_TURN_RESULTS)[number];
export type TurnSource = (typeof TURN_SOURCES)[number];
