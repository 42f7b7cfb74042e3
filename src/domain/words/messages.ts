import { type CodeOf, type CodeWith, codesOf, codesWith } from './table.ts';

/** The state of an A2A task, which is a fleet message. The names are the protocol's, without `TASK_STATE_`. */
export const A2A_TASKS = {
  SUBMITTED: { ended: false, atRest: false },
  WORKING: { ended: false, atRest: false },
  /** The agent asks its own user something. */
  INPUT_REQUIRED: { ended: false, atRest: true },
  COMPLETED: { ended: true, atRest: true },
  FAILED: { ended: true, atRest: true },
  CANCELED: { ended: true, atRest: true },
  REJECTED: { ended: true, atRest: true },
} as const satisfies Record<string, { ended: boolean; atRest: boolean }>;

export type A2aTask = CodeOf<typeof A2A_TASKS>;

interface StatusRow {
  /** Nothing more happens to it by itself. */
  ended: boolean;
  /** Ended without reaching the agent's gateway: a dead letter. */
  dead: boolean;
  /** Its agent's gateway may have it. */
  sent: boolean;
  /** A refusal by the gateway leaves it so. */
  refused: boolean;
  /** The state of its A2A task until the gateway reports how its request ended. */
  task: A2aTask;
}

/** Where a fleet message is on its way to an agent's gateway. */
export const MESSAGE_STATUSES = {
  queued: { ended: false, dead: false, sent: false, refused: true, task: 'SUBMITTED' },
  dispatched: { ended: false, dead: false, sent: true, refused: false, task: 'SUBMITTED' },
  /** The gateway has it. */
  completed: { ended: true, dead: false, sent: true, refused: false, task: 'WORKING' },
  /** It was never sent. */
  dropped: { ended: true, dead: true, sent: false, refused: false, task: 'CANCELED' },
  failed: { ended: true, dead: true, sent: true, refused: true, task: 'FAILED' },
} as const satisfies Record<string, StatusRow>;

export type MessageStatus = CodeOf<typeof MESSAGE_STATUSES>;
export type DeadStatus = CodeWith<typeof MESSAGE_STATUSES, 'dead'>;

export const ENDED_MESSAGES = codesWith(MESSAGE_STATUSES, 'ended');
export const DEAD_MESSAGES = codesWith(MESSAGE_STATUSES, 'dead');
export const TRAVELLING_MESSAGES = codesOf(MESSAGE_STATUSES).filter((code) => !MESSAGE_STATUSES[code].ended);

/** What the gateway reported of a turn besides its state. */
interface Reported {
  result?: string | undefined;
  detail?: string | undefined;
}

interface TurnRow {
  goesOn: boolean;
  /** The state of its A2A task. `result`: follows from how the turn ended. */
  task: A2aTask | 'result';
  /** For the sender, as a sentence. */
  words: (reported: Reported) => string;
}

/** How the turn of a fleet message went on after it was submitted. */
export const MESSAGE_TURNS = {
  working: { goesOn: true, task: 'WORKING', words: () => 'The message was submitted to the agent.' },
  input_required: {
    goesOn: true,
    task: 'INPUT_REQUIRED',
    words: () => 'The agent waits for its user: a dialog is open.',
  },
  finished: {
    goesOn: false,
    task: 'result',
    words: ({ result = 'success' }) => `The agent's turn ended: ${result}.`,
  },
  /** The agent is ready again, but nothing proves that the turn ended. */
  unproven: {
    goesOn: false,
    task: 'COMPLETED',
    words: () =>
      'The message was submitted and the agent is ready again; nothing proves that its turn ended.',
  },
  /** The tool is gone or was replaced. */
  lost: {
    goesOn: false,
    task: 'FAILED',
    words: ({ detail = 'the tool is gone' }) => `The agent's turn was lost: ${detail}.`,
  },
} as const satisfies Record<string, TurnRow>;

export const TURNS_GOING_ON = codesWith(MESSAGE_TURNS, 'goesOn');
