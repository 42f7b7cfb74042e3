import type { Meaning, Mode } from './detector.ts';
import type { ComposerState } from './find-composer.ts';
import type { Dialog } from './find-dialog.ts';
import type { SignalVerdict } from './tool-signals.ts';
import type { UsageLimit } from './usage-limit.ts';
import type { VersionStatus } from './version-range.ts';

/** One thing known, who says so, and how old the news is. */
export interface Fact<T> {
  value: T;
  source: string;
  ageMs: number;
}

export type Tristate = 'yes' | 'no' | 'unknown';
export type Phase = 'ready' | 'active' | 'unknown';

/** What is in the foreground of the pane. */
export interface ProcessFacts {
  /** `gone`: the tool has ended and nothing took its place; `other`: some program that is neither it nor a shell. */
  foreground: 'tool' | 'shell' | 'gone' | 'other' | 'unknown';
  /** The pane shows old output to a person who scrolls. */
  copyMode?: boolean;
  /** A person's keys came in within the last moments. */
  personTyping?: boolean;
  version?: string;
  /** Name of the machine: a title that nobody has set yet. */
  hostname?: string;
  ageMs?: number;
}

export interface Menu {
  kind: 'menu' | 'help' | 'search';
  row: string;
  /** The command that Enter would choose, where the tool shows it beyond doubt. */
  chosen?: string;
}

/** Where the composer is and what stands in it. Rows and columns from 0; `right` is the first column behind it. */
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
  /** `doubtful`: all that speaks for it is something that may have ended without anybody saying so. */
  busy: Fact<Tristate> & { evidence: string[]; doubtful: boolean };
  /** Title, a row or a signal says that nothing runs; more than that nothing says otherwise. */
  proven_idle: boolean;
  /** What the tool itself says beside its screen. */
  reported: SignalVerdict['state'];
  dialog: Fact<Dialog | null>;
  menu: Fact<Menu | null>;
  limit: Fact<UsageLimit | null>;
  /** What the tool says instead of asking its model; null while it may. */
  logged_out: Fact<string | null>;
  /** What the terminal itself shows; an event alone does not change it. */
  surface: {
    accepting_input: Fact<Tristate>;
    editing_input: Fact<Tristate>;
    ready_posture: Fact<Tristate>;
    pending_input: Fact<Tristate>;
  };
  phase: Fact<Phase>;
  business_state: 'idle' | 'working' | 'awaiting_operator' | 'unknown';
  input_mode: 'freeform' | 'modal' | 'closed' | 'unknown';
  /** Signs in the last turn; candidates only, the reducer decides. */
  interrupted: Fact<boolean>;
  known_failure: Fact<boolean>;
  success_candidate: Fact<boolean>;
  /** Fingerprint of the last turn as the transcript shows it. */
  turn_signature: string;
  /** Ctrl-C was pressed once. */
  exit_armed: boolean;
  copy_mode: boolean;
  person_typing: boolean;
  /** Two sources disagree; never ready while they do. */
  contradictions: string[];
  /** Rows the decision rests on. */
  evidence: { means: Meaning | 'title' | 'signal'; text: string }[];
  /** The last rows, when nothing was recognised. */
  excerpt: string;
}
