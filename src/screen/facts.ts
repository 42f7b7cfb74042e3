import type { BusinessState, InputMode, Tristate, TurnPhase } from '../domain/index.ts';
import type { Meaning, Mode } from './detector.ts';
import type { ComposerState } from './find-composer.ts';
import type { Dialog } from './find-dialog.ts';
import type { UsageLimit } from './limits/usage-limit.ts';
import type { SignalVerdict } from './tool-signals.ts';
import type { VersionStatus } from './version-range.ts';

/** One fact, its source, and its age. */
export interface Fact<T> {
  value: T;
  source: string;
  ageMs: number;
}

/** The program in the foreground of the pane. */
export interface ProcessFacts {
  /** `gone`: the tool has ended and nothing replaced it; `other`: a program that is neither the tool nor a shell. */
  foreground: 'tool' | 'shell' | 'gone' | 'other' | 'unknown';
  /** The pane shows old output because a person scrolled. */
  copyMode?: boolean;
  /** A person pressed a key a moment ago. */
  personTyping?: boolean;
  version?: string;
  /** The machine's name, which is the title until a program sets one. */
  hostname?: string;
  ageMs?: number;
}

export interface Menu {
  kind: 'menu' | 'help' | 'search';
  row: string;
  /** The command that Enter would choose, if the tool shows it clearly. */
  chosen?: string;
}

/** Where the composer is and its text. Rows and columns from 0; `right` is the first column after it. */
export interface SeenComposer {
  state: ComposerState;
  mode: Mode;
  text: string;
  region: { first: number; last: number; textColumn: number; right: number };
}

/** Everything known about an agent's terminal at one instant. */
export interface Facts {
  tool: string;
  version: Fact<string | null> & { status: VersionStatus };
  process: Fact<ProcessFacts['foreground']>;
  composer: Fact<SeenComposer | null>;
  /** `doubtful`: all evidence for it may be out of date, because its end is not always reported. */
  busy: Fact<Tristate> & { evidence: string[]; doubtful: boolean };
  /** Title, a row or a signal shows that nothing runs. That is more than the absence of busy signs. */
  proven_idle: boolean;
  /** The state that the tool itself reports, apart from its screen. */
  reported: SignalVerdict['state'];
  dialog: Fact<Dialog | null>;
  menu: Fact<Menu | null>;
  limit: Fact<UsageLimit | null>;
  /** The tool's message that it may not use its model; null if it may. */
  logged_out: Fact<string | null>;
  /** What the terminal shows; an event alone does not change it. */
  surface: {
    accepting_input: Fact<Tristate>;
    editing_input: Fact<Tristate>;
    ready_posture: Fact<Tristate>;
    pending_input: Fact<Tristate>;
  };
  phase: Fact<TurnPhase>;
  business_state: BusinessState;
  input_mode: InputMode;
  /** Signs in the last turn. Only candidates; the reducer decides. */
  interrupted: Fact<boolean>;
  known_failure: Fact<boolean>;
  success_candidate: Fact<boolean>;
  /** Fingerprint of the last turn in the transcript. */
  turn_signature: string;
  /** Ctrl-C was pressed once. */
  exit_armed: boolean;
  copy_mode: boolean;
  person_typing: boolean;
  /** Two sources disagree; never ready while they do. */
  contradictions: string[];
  /** The rows on which the decision is based. */
  evidence: { means: Meaning | 'title' | 'signal'; text: string }[];
  /** The last rows, if nothing was recognised. */
  excerpt: string;
}
