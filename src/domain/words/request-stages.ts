import { type CodeOf, type CodeWith, codesOf, codesWith } from './table.ts';

interface StageRow {
  /** Its label in the ledger on the page. */
  words: string;
  /** Seen at the agent's surface, not in the queue. */
  surface: boolean;
  /** Its label among the few steps shown of everything sent. Null: not one of them. */
  step: string | null;
}

/** The stages of a request. Each is stored with where it was seen. */
export const REQUEST_STAGES = {
  accepted: { words: 'Accepted', surface: false, step: 'accepted' },
  running: { words: 'Started', surface: false, step: null },
  typing: { words: 'Being typed', surface: true, step: null },
  typed: { words: 'Typed', surface: true, step: 'typed' },
  submitted: { words: 'Submitted', surface: true, step: 'submitted' },
  turn_seen: { words: 'Turn seen to begin', surface: true, step: null },
  turn_finished: { words: 'Turn ended', surface: true, step: 'turn ended' },
  returned: { words: 'Put back into the queue', surface: false, step: null },
  kept: { words: 'Kept', surface: false, step: null },
  finished: { words: 'Finished', surface: false, step: null },
} as const satisfies Record<string, StageRow>;

export type RequestStage = CodeOf<typeof REQUEST_STAGES>;
/** Reported by the lane, or by whatever else prompts the agent. */
export type SurfaceStage = CodeWith<typeof REQUEST_STAGES, 'surface'>;

export const SURFACE_STAGES = codesWith(REQUEST_STAGES, 'surface');

export const STAGE_STEPS = codesOf(REQUEST_STAGES).flatMap((stage) => {
  const { step } = REQUEST_STAGES[stage];
  return step === null ? [] : [{ stage, label: step }];
});
