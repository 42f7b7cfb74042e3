import type { MockModel, Received } from '../model/mock-model.ts';
import type { Place } from '../support/real-tools.ts';

/**
 * A program with a configuration, and what is done with it. Its scenes are played one after the other in the
 * same process, so each begins where the last one ended.
 */
export interface Visit {
  tool: string;
  /** A few words, written into each capture. */
  setup: string;
  columns: number;
  rows: number;
  args?: string[];
  env?: Record<string, string>;
  /** Changes the files of the usual set-up before the program starts. */
  configure?(place: Place): void;
  /** Without it, the files leave the question open whether it may work here. */
  untrusted?: true;
  /** From the start of the program to the first scene. Default: until the screen is still. */
  begin?(stage: Stage): Promise<void>;
  scenes: Scene[];
}

export interface Scene {
  /** Begins with the state, in the words of EXPECTED in captured-fixtures.ts: `ready-vim-normal`, `busy-compacting`. */
  state: string;
  /** Produces the screen that is captured. */
  bring?(stage: Stage): Promise<void>;
  /**
   * Whether a prompt is really pasted and sent after the capture. `never` where Enter would accept something: then
   * the produced state is the label.
   */
  trial?: 'never';
  /** Run afterwards, before the next scene. Default: until the screen is still. */
  leave?(stage: Stage): Promise<void>;
}

/** How a prompt ended that was pasted and sent. */
export type Outcome =
  /** The model received it at once, unchanged, as its own turn; no other request was running. */
  | 'own_turn'
  /** The same, while another request continued undisturbed: work in the background. */
  | 'beside'
  /** It arrived unchanged, but only after something else had ended, or it interrupted that. */
  | 'queued'
  /** The model received it together with other text. */
  | 'merged'
  /** It never arrived. */
  | 'lost';

/** Keyboard, screen and model of the visited program. */
export interface Stage {
  keys(...keys: string[]): void;
  /** Letter by letter, like a person. */
  types(text: string): void;
  /** As one bracketed paste. */
  pastes(text: string): void;
  /** Pastes, presses Enter, and waits until the model has received it. */
  says(text: string): Promise<Received>;
  /** Types one of the tool's own commands and presses Enter. */
  command(text: string): Promise<void>;
  text(): string;
  shows(pattern: RegExp): Promise<void>;
  /** Waits until the screen has been still for a while. */
  still(): Promise<void>;
  pause(ms: number): Promise<void>;
  resize(columns: number, rows: number): void;
  received(pattern: RegExp): Promise<Received>;
  readonly place: Place;
  readonly model: MockModel;
}
