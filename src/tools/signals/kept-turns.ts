import type { TurnResult } from '../../domain/index.ts';

/** One turn in the tool's own records, also if a person typed the prompt. */
export interface KeptTurn {
  atUtc: string;
  /** Null: the record does not say that it ended. */
  endedAtUtc: string | null;
  prompt: string;
  result: TurnResult | null;
  /** The last answer of the turn; null if the record has none. */
  answer: string | null;
}

/** The session whose records are read. Its process need not run. */
export interface KeptTurnsPlace {
  sessionRoot: string;
  /** Where the hooks of this session report. */
  signalsDir: string;
  /** The tool's home as the manifest records it. */
  home: string | undefined;
  env: NodeJS.ProcessEnv;
  /** The conversation the tool was in last. */
  conversation: string | undefined;
  fromMs: number;
  toMs: number;
}
