import type { MockModel, Received } from '../model/mock-model.ts';
import type { Place } from '../support/real-tools.ts';

/**
 * A program as somebody has configured it, and what is done with it. Its scenes are played one after the other in the
 * same process, so a scene leaves behind what the next one begins with.
 */
export interface Visit {
  tool: string;
  /** In a few words; written into each capture. */
  setup: string;
  columns: number;
  rows: number;
  args?: string[];
  env?: Record<string, string>;
  /** Changes what the usual set-up has written, before the program starts. */
  configure?(place: Place): void;
  /** Files without it leave out the question whether it may work here. */
  untrusted?: true;
  /** From the start of the program to the first scene; without it, until the screen stands still. */
  begin?(stage: Stage): Promise<void>;
  scenes: Scene[];
}

export interface Scene {
  /** Begins with what the state is, in the words of EXPECTED in captured-fixtures.ts: `ready-vim-normal`, `busy-compacting`. */
  state: string;
  /** Brings the screen about that is captured. */
  bring?(stage: Stage): Promise<void>;
  /**
   * Whether a prompt is really pasted and sent after the capture. `never` where Enter would accept something: there
   * the state that was brought about is the label.
   */
  trial?: 'never';
  /** Afterwards, for the next scene. Without it: until the screen stands still. */
  leave?(stage: Stage): Promise<void>;
}

/** What became of a prompt that was pasted and sent. */
export type Outcome =
  /** The model got it at once, exactly, as a turn of its own; no other request was under way. */
  | 'own_turn'
  /** The same, beside a request that went on undisturbed: work in the background. */
  | 'beside'
  /** It came exactly, but only after something else had ended, or it cut that short. */
  | 'queued'
  /** The model got it together with other text. */
  | 'merged'
  /** It never came. */
  | 'lost';

/** The keyboard, the screen and the model of the program that is visited. */
export interface Stage {
  keys(...keys: string[]): void;
  /** Letter by letter, as a person. */
  types(text: string): void;
  /** As one bracketed paste. */
  pastes(text: string): void;
  /** Pastes, presses Enter, and waits until the model has got it. */
  says(text: string): Promise<Received>;
  /** Types a command of the tool's own and presses Enter. */
  command(text: string): Promise<void>;
  text(): string;
  shows(pattern: RegExp): Promise<void>;
  /** Until nothing has moved for a while. */
  still(): Promise<void>;
  pause(ms: number): Promise<void>;
  resize(columns: number, rows: number): void;
  received(pattern: RegExp): Promise<Received>;
  readonly place: Place;
  readonly model: MockModel;
}
