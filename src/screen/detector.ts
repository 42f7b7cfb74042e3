import type { Style } from './model/style.ts';
import type { VersionRange } from './version-range.ts';

/**
 * The parts of a detector. A detector is data: how one tool draws its composer, and which rows and titles show that it is
 * busy, asks something, or holds input back. `observe` reads it.
 */
export interface Detector {
  tool: string;
  versions: VersionRange;
  /** The buffer this version draws on; distinguishes versions if the number is unknown. */
  buffer?: 'alternate' | 'main';
  /** The character that separates an open panel at the left from the rest, in every row. */
  sidebar?: string;
  /** Tried in order; the first that fits the position of the cursor is the composer. */
  composers: ComposerShape[];
  title: TitleSigns;
  signs: Sign[];
  /** How the list of commands is drawn. Without it, it is unknown what Enter would choose there. */
  completion?: Completion;
  transcript: TranscriptShape;
  input: InputRules;
  /** Title and footer while idle, for a calibrated detector. Anything else is not ready. */
  idleChrome?: { title: string; footer: string[] };
}

export type Mode = 'prompt' | 'shell' | 'search';

export interface ComposerShape {
  frame: Frame;
  /** How the first row begins inside the frame, and what typing there means. The first entry is the usual one. */
  prompts: { text: string; mode: Mode }[];
  /** How a placeholder looks. Without an entry every text is a draft. All tests of an entry must hold. */
  ghosts: Ghost[];
  /** More rows than this between composer and bottom of the screen are a menu or a help page. */
  footerRows?: number;
  /** Rows of a list that may grow in the footer; they do not count as footer rows. */
  footerList?: RegExp;
  /** Rows that must be blank above; a popup hangs closer. */
  clearance?: number;
  /** The tool shows the cursor whenever it takes input, and hides it in dialogs. */
  showsCursor?: boolean;
  /** A row of the menu of commands, for a tool that leaves the cursor below that menu. */
  menuAboveCursor?: RegExp;
  /** The tool greys the prompt glyph while it works. */
  greyGlyphIsBusy?: boolean;
  /** A missing busy row proves nothing: ready only if the title, an `idle` row or a signal of the tool shows idle. */
  needsIdleSignal?: boolean;
  /** Blank rows above the composer of an idle tool: after it was used, and before. Counts as an `idle` sign. */
  idleGap?: { used: number; fresh: number };
}

export type Frame =
  /** A line above and one below, from edge to edge. */
  | { kind: 'lines'; above: string; below: string }
  /** Four sides; `column` is the column of the left one. */
  | { kind: 'box'; column: number; corners: string; sides: [string, string] }
  /** A bar at the left with a foot; inside: a blank row, the text, a blank row, and a row that names the mode. */
  | { kind: 'bar'; bar: string; foot: string; fill: string; shellLabel: RegExp }
  /** Nothing: a glyph at the left edge, a blank row, and the footer as the last thing on the screen. */
  | { kind: 'open' }
  /** As calibration found it. `left` is where the glyph begins after a side, `prefix` everything before the text. */
  | {
      kind: 'learned';
      prefix: string;
      left: number;
      right: number | null;
      above: RegExp | null;
      below: RegExp | null;
      side: string;
    };

export interface Ghost {
  dim?: true;
  /** An explicit grey. */
  grey?: true;
  /** The cell under the cursor is blank and the text begins after it. */
  gap?: true;
  form?: RegExp;
  /** Drawn exactly so. */
  style?: Style;
  /** In the colour of these words below the composer, which is not the default. */
  like?: RegExp;
}

export interface TitleSigns {
  busy?: RegExp;
  waiting?: RegExp;
  idle?: RegExp;
}

export type Meaning =
  | 'busy'
  /** The tool shows this row only while nothing runs. */
  | 'idle'
  | 'dialog'
  | 'menu'
  | 'pending'
  | 'exit_armed'
  /** Work continues in the background, and the composer takes prompts although title or signal show busy. */
  | 'background'
  /** The tool answers a prompt itself, because it may not use its model. */
  | 'logged_out'
  /** It may still be starting: the screen may change without a key. Doubtful, because nothing shows when that is over. */
  | 'starting'
  | 'shell_mode'
  | 'interrupted'
  | 'failure'
  | 'success';

/** A row that has a meaning in this place. */
export interface Sign {
  means: Meaning;
  /** `above` and `below` the composer; `inside` its text; `edge`: its first row; `turn`: above, back to the last prompt that was sent. */
  where: 'above' | 'below' | 'inside' | 'edge' | 'turn';
  /** How many rows to look at, nearest the composer first, blank ones not counted. All, if absent. */
  rows?: number;
  /** Only rows that touch the composer: up to the first blank one. */
  attached?: true;
  /** The meaning holds while no row there looks like this. */
  absent?: true;
  row: RegExp;
  /** Shown to people instead of the row, if the row does not explain itself. */
  says?: string;
  /** A person's own status line may look like this: an idle title or signal outweighs it. */
  weak?: true;
  /**
   * The colour of the first character of the row, or of its first letter. `set`: any but the default, without a
   * background; text with a background was sent by a person. Ignored in captures without style.
   */
  colour?: 'hued' | 'red' | 'set' | 'hued_letter';
}

/** The list a tool offers while a command is typed. */
export interface Completion {
  where: 'above' | 'below';
  /** An entry; its first group is the command, with or without the slash. */
  entry: RegExp;
  /** What marks the entry that Enter chooses: only that one matches, or the background or weight of its name. */
  chosenBy: 'mark' | 'background' | 'bold';
}

export interface TranscriptShape {
  /** A prompt that was sent, as the transcript shows it. */
  prompt: RegExp;
  /** The time of sending that the tool writes at the end of that row. */
  stamp?: RegExp;
  /**
   * Shown below the last prompt once its turn is over. If the tool shows nothing else while it writes its answer, a
   * prompt without any of these is a turn that may still run, unless the title shows idle.
   */
  settled?: RegExp;
  /** A row of the banner: if it is visible and no prompt is, nothing was sent yet. */
  banner?: RegExp;
  /** Shown below a prompt that the tool has begun to work on. A prompt with none of these is about to run. */
  answered?: RegExp;
  /** A word at the right edge just above the composer appears and disappears by itself and is no part of a turn. */
  hintAtRight?: true;
  /** A prompt that is a command of the tool itself. Its end is not shown; without an answer, an idle title or signal is enough. */
  command?: RegExp;
}

/** How the tool treats input, as measured. Only the lane reads this. */
export interface InputRules {
  /** Minimum time between a paste and its Enter, in milliseconds. */
  pasteGapMs: number;
  /** A larger paste, or one with a longer line, does not arrive. */
  maxPasteBytes?: number;
  maxLineBytes?: number;
  /** Harmless changes the tool itself makes; accepted and recorded. */
  changes: ('tabs_to_4_spaces' | 'trailing_space' | 'trims_ends')[];
  /** Text that it would not take as written. */
  refuses: Refusal[];
  /** The label of a long paste in the composer; its groups `lines`, `breaks` (line ends) and `chars` state the size. */
  pasteChip?: RegExp;
  interruptKeys: string[];
  /** Empties a one-line composer. */
  clearKeys: string[];
  /** Starts a new chat. */
  resetCommand: string;
  /** How it treats input sent while a turn runs. */
  whileBusy: 'queues' | 'steers';
  /** If a turn is interrupted before any output, the prompt is in the composer again. */
  restoresPrompt: boolean;
}

export interface Refusal {
  when: RegExp;
  because: string;
  /** Applies only to keys; a bracketed paste passes. */
  typedOnly?: true;
  /** A command that the tool's own menu offers passes. */
  unlessOffered?: true;
}
