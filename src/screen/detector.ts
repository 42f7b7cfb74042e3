import type { Style } from './model/style.ts';
import type { VersionRange } from './version-range.ts';

/**
 * The words a detector is written in. A detector is data: it says how one tool draws its composer and by which
 * rows and titles it shows that it is busy, asks something, or holds input back. `observe` reads it.
 */
export interface Detector {
  tool: string;
  versions: VersionRange;
  /** Which buffer this version draws on; tells versions apart when nobody knows the number. */
  buffer?: 'alternate' | 'main';
  /** What parts a panel at the left from the rest, in every row, when one is open. */
  sidebar?: string;
  /** Tried in order; the first that fits the place of the cursor is the composer. */
  composers: ComposerShape[];
  title: TitleSigns;
  signs: Sign[];
  /** How the list of commands is drawn. Without it nobody knows what Enter would choose there. */
  completion?: Completion;
  transcript: TranscriptShape;
  input: InputRules;
  /** Of a calibrated detector: what title and footer read while idle. Anything else there is not ready. */
  idleChrome?: { title: string; footer: string[] };
}

export type Mode = 'prompt' | 'shell' | 'search';

export interface ComposerShape {
  frame: Frame;
  /** How the first row begins, from the inside of the frame, and what typing there means. The first entry is the usual one. */
  prompts: { text: string; mode: Mode }[];
  /** What a placeholder looks like. Without an entry every text is a draft. Within an entry all given tests must hold. */
  ghosts: Ghost[];
  /** More rows than this between composer and bottom of the screen are a menu or a help page. */
  footerRows?: number;
  /** Rows of a list that may grow in the footer; they do not count among its rows. */
  footerList?: RegExp;
  /** Rows that must be blank above; a popup hangs closer. */
  clearance?: number;
  /** The tool shows the cursor whenever it takes input, and hides it in dialogs. */
  showsCursor?: boolean;
  /** While the menu of commands is open the tool leaves the cursor below it; a row of that menu. */
  menuAboveCursor?: RegExp;
  /** The tool greys the prompt glyph while it works. */
  greyGlyphIsBusy?: boolean;
  /** A missing busy row proves nothing: trusted only while the title, an `idle` row or a signal of the tool says idle. */
  needsIdleSignal?: boolean;
  /** Blank rows above the composer of an idle tool: once it was used, and before. Stands for an `idle` sign. */
  idleGap?: { used: number; fresh: number };
}

export type Frame =
  /** A line above and one below, from edge to edge. */
  | { kind: 'lines'; above: string; below: string }
  /** Four sides; `column` is where the left one stands. */
  | { kind: 'box'; column: number; corners: string; sides: [string, string] }
  /** A bar at the left with a foot; inside: a blank row, the text, a blank row, and a row that names the mode. */
  | { kind: 'bar'; bar: string; foot: string; fill: string; shellLabel: RegExp }
  /** Nothing: a glyph at the left edge, a blank row, and the footer as the last thing on the screen. */
  | { kind: 'open' }
  /** As calibration found it. `left` is where the glyph begins behind a side, `prefix` all that stands before the text. */
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
  /** A washed-out colour set on purpose. */
  grey?: true;
  /** The cell under the cursor is blank and the text begins behind it. */
  gap?: true;
  form?: RegExp;
  /** Drawn exactly so. */
  style?: Style;
  /** In a colour of its own, that of these words below the composer. */
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
  /** Work goes on beside the composer, which takes prompts though title or signal say busy. */
  | 'background'
  /** A prompt is answered by the tool itself: it may not ask its model. */
  | 'logged_out'
  /** It may still be starting: another screen may come without a key. Doubtful, as it is not said when that is over. */
  | 'starting'
  | 'shell_mode'
  | 'interrupted'
  | 'failure'
  | 'success';

/** A row that means something where it stands. */
export interface Sign {
  means: Meaning;
  /** `above` and `below` the composer; `inside` its text; `edge`: its first row; `turn`: above, back to the last prompt that was sent. */
  where: 'above' | 'below' | 'inside' | 'edge' | 'turn';
  /** How many rows to look at, nearest the composer first, blank ones not counted. All, if absent. */
  rows?: number;
  /** Only rows that touch the composer: up to the first blank one. */
  attached?: true;
  /** It means so while no row there looks like this. */
  absent?: true;
  row: RegExp;
  /** Told to people instead of the row, where that does not speak for itself. */
  says?: string;
  /** Somebody's own status line may read like this: an idle title or signal outweighs it. */
  weak?: true;
  /**
   * The first thing the row shows, or its first letter, must be of this kind of colour; `set`: any but the terminal's
   * own, and on no background, which is what a person has sent. Ignored in captures without style.
   */
  colour?: 'hued' | 'red' | 'set' | 'hued_letter';
}

/** The list a tool offers while a command is typed. */
export interface Completion {
  where: 'above' | 'below';
  /** An entry; its first group is the command, with or without the slash. */
  entry: RegExp;
  /** What tells the entry that Enter chooses: only that one matches, or the background or weight of its name. */
  chosenBy: 'mark' | 'background' | 'bold';
}

export interface TranscriptShape {
  /** A prompt that was sent, as the transcript shows it. */
  prompt: RegExp;
  /** What the tool writes at the end of that row: when it was sent. */
  stamp?: RegExp;
  /**
   * What stands below the last prompt once its turn is over. Where the tool says nothing while it writes its
   * answer, a prompt without any of these is a turn that may still run, unless the title says idle.
   */
  settled?: RegExp;
  /** A row of the banner: with it in sight and no prompt, nothing was sent yet. */
  banner?: RegExp;
  /** What the tool puts below a prompt it has taken up. A prompt with none of these is about to run. */
  answered?: RegExp;
  /** A word at the right edge right above the composer comes and goes by itself and is no part of a turn. */
  hintAtRight?: true;
  /** A prompt that is a command of the tool's own: it has no end to be seen, and without an answer an idle title or signal is enough. */
  command?: RegExp;
}

/** What the tool does to input, measured. The lane reads this; the screen does not. */
export interface InputRules {
  /** Least time between a paste and its Enter, in milliseconds. */
  pasteGapMs: number;
  /** A paste of more bytes than this, or of one line longer than that, does not arrive. */
  maxPasteBytes?: number;
  maxLineBytes?: number;
  /** Harmless changes the tool itself makes; accepted and recorded. */
  changes: ('tabs_to_4_spaces' | 'trailing_space' | 'trims_ends')[];
  /** What it would not take as written. */
  refuses: Refusal[];
  /** What stands in the composer for a long paste; its groups `lines`, `breaks` (line ends) and `chars` say its size. */
  pasteChip?: RegExp;
  interruptKeys: string[];
  /** Empties a one-line composer. */
  clearKeys: string[];
  /** Starts a new chat. */
  resetCommand: string;
  /** Input sent while a turn runs. */
  whileBusy: 'queues' | 'steers';
  /** After an interrupt before any output the prompt stands in the composer again. */
  restoresPrompt: boolean;
}

export interface Refusal {
  when: RegExp;
  because: string;
  /** Only for keys; a bracketed paste passes. */
  typedOnly?: true;
  /** A command that the tool's own menu offers passes. */
  unlessOffered?: true;
}
