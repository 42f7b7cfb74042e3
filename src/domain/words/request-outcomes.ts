import type { ErrorCode } from '../../base/index.ts';
import type { A2aTask } from './messages.ts';
import type { RequestState } from './request-states.ts';
import { type CodeOf, codesOf, codesWith } from './table.ts';

interface OutcomeRow {
  /** What happened, for people. */
  words: string;
  /** Its state on the wire, where the contract has five. */
  state: Exclude<RequestState, 'accepted' | 'running'>;
  /** The error code for a command that waited for it. Null: success. */
  error: ErrorCode | null;
  /** It, or one that replaced it, reached the tool. */
  reached: boolean;
  /** Shown as trouble. */
  trouble: boolean;
  /** What a person is needed for. Null: no one needs to look at it. */
  need: 'uncertain' | 'failed' | null;
  /** The state of an A2A message that did not reach the agent. */
  task: A2aTask;
}

const ended = { error: null, reached: false, trouble: false, need: null, task: 'FAILED' } as const;

/** How a request ended. docs/states.md has the same table. */
export const REQUEST_OUTCOMES = {
  /** Proven. */
  submitted: {
    ...ended,
    words: 'It was typed, and the tool took it: the stage "submitted" is the proof.',
    state: 'completed',
    reached: true,
  },
  /** Never counted as done, never typed again. */
  unconfirmed: {
    ...ended,
    words: 'It was typed, but nothing proves that the tool took it. It is not typed again automatically.',
    state: 'failed',
    error: 'unavailable',
    trouble: true,
    need: 'uncertain',
  },
  failed: {
    ...ended,
    words: 'It failed and is not tried again.',
    state: 'failed',
    error: 'internal',
    trouble: true,
    need: 'failed',
  },
  /** The tool does not take it as written, or the target cannot do it. */
  refused: {
    ...ended,
    words: 'It was refused, and nothing was submitted.',
    state: 'failed',
    error: 'unsupported',
    trouble: true,
    task: 'REJECTED',
  },
  expired: {
    ...ended,
    words: 'Its time ran out before the agent could be disturbed; nothing was typed.',
    state: 'failed',
    error: 'not_ready',
    trouble: true,
  },
  cancelled: {
    ...ended,
    words: 'It was removed from the queue; nothing was typed.',
    state: 'failed',
    error: 'conflict',
    task: 'CANCELED',
  },
  superseded: {
    ...ended,
    words: 'Its reason was gone when it was about to be typed; nothing was typed.',
    state: 'failed',
    error: 'conflict',
    task: 'CANCELED',
  },
  /** A stronger control request beside it did its work. */
  coalesced: {
    ...ended,
    words: 'A request beside it did its work; nothing was typed for it.',
    state: 'coalesced',
    reached: true,
  },
} as const satisfies Record<string, OutcomeRow>;

export type RequestOutcome = CodeOf<typeof REQUEST_OUTCOMES>;

export const REACHED_OUTCOMES = codesWith(REQUEST_OUTCOMES, 'reached');
export const ASKING_OUTCOMES = codesOf(REQUEST_OUTCOMES).filter(
  (code) => REQUEST_OUTCOMES[code].need !== null,
);
