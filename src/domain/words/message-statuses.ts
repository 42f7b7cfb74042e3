import { type CodeOf, type CodeWith, codesOf, codesWith } from './table.ts';

interface StatusRow {
  /** Nothing more happens to it by itself. */
  ended: boolean;
  /** Ended without reaching the agent's gateway: a dead letter. */
  dead: boolean;
}

/** Where a fleet message is on its way to an agent's gateway. */
export const MESSAGE_STATUSES = {
  queued: { ended: false, dead: false },
  dispatched: { ended: false, dead: false },
  /** The gateway has it. */
  completed: { ended: true, dead: false },
  /** It was never sent. */
  dropped: { ended: true, dead: true },
  failed: { ended: true, dead: true },
} as const satisfies Record<string, StatusRow>;

export type MessageStatus = CodeOf<typeof MESSAGE_STATUSES>;
export type DeadStatus = CodeWith<typeof MESSAGE_STATUSES, 'dead'>;

export const ENDED_MESSAGES = codesWith(MESSAGE_STATUSES, 'ended');
export const DEAD_MESSAGES = codesWith(MESSAGE_STATUSES, 'dead');
export const TRAVELLING_MESSAGES = codesOf(MESSAGE_STATUSES).filter((code) => !MESSAGE_STATUSES[code].ended);
