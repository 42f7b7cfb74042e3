import type { CodeOf } from '../table.ts';

interface ConditionRow {
  /** After the agent's name. */
  words: string;
  help: string;
}

/** What one may wait for. */
export const WAIT_CONDITIONS = {
  idle: { words: 'is idle', help: 'it is idle' },
  'turn-ended': { words: 'has ended its turn', help: 'the turn in progress has ended; at once without one' },
  mail: { words: 'has mail', help: 'it has open mail' },
  gone: { words: 'has ended', help: 'its tool has ended' },
  'needs-you': { words: 'needs you', help: 'it needs a person' },
} as const satisfies Record<string, ConditionRow>;

export type WaitCondition = CodeOf<typeof WAIT_CONDITIONS>;
