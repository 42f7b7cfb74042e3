import { codesWith } from './table.ts';

/** How the turn of a fleet message went on after it was submitted. */
export const MESSAGE_TURNS = {
  working: { goesOn: true },
  input_required: { goesOn: true },
  finished: { goesOn: false },
  /** The agent is ready again, but nothing proves that the turn ended. */
  unproven: { goesOn: false },
  /** The tool is gone or was replaced. */
  lost: { goesOn: false },
} as const satisfies Record<string, { goesOn: boolean }>;

export const TURNS_GOING_ON = codesWith(MESSAGE_TURNS, 'goesOn');
