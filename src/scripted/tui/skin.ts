/** The look and the habits of one agent CLI, as data: what it draws, and how it treats input. */
export interface Skin {
  name: string;
  summary: string;
  screen: 'alternate' | 'main';
  /** Alternate screen only: the composer is at the bottom, or directly below the conversation. */
  pin: 'bottom' | 'flow';
  cursor: 'visible' | 'hidden';
  /** Before the draft, including its space. */
  glyph: string;
  border: Border;
  placeholder: string;
  /** SGR parameters of the placeholder and of accents; '' is the default colour of the terminal. */
  placeholderColour: string;
  accent: string;
  banner: string[];
  historyGlyph: string;
  historyBorder: Border;
  answerGlyph: string;
  busy: BusyLook;
  footer: { ready: string; busy: string; draft: string };
  /** `{spin}` and `{name}` are filled in; null never sets a title. */
  title: { ready: string; busy: string; action: string } | null;
  dialog: DialogLook;
  collapse: { lines: number; chars: number; label: string } | null;
  habits: Habits;
}

export interface BusyLook {
  where: 'line' | 'footer' | 'nowhere';
  frames: string[];
  /** `{spin}`, `{elapsed}`. */
  text: string;
  /** When the busy text disappears although the turn continues. */
  hides: 'never' | 'draft' | 'streaming';
}

export interface DialogLook {
  border: Border;
  marker: string;
  yes: string;
  always: string;
  no: string;
  hint: string;
  /** Which keys choose an option, besides Enter, arrows and Escape. `lone-digit` ignores digits within a run of text. */
  hotkeys: 'digits' | 'digits-and-letters' | 'lone-digit';
}

export interface Habits {
  busyInput: 'queue' | 'steer';
  interrupt: 'escape' | 'double-escape';
  /** A prompt that is interrupted before any output goes back into the composer. */
  restoresPrompt: boolean;
  /** Whether a prompt that starts with `!` is a shell command: never, only when typed, or always. */
  bang: 'never' | 'typed' | 'always';
  bangStays: boolean;
  unknownSlash: 'send' | 'refuse' | 'keep';
  backslashNewline: boolean;
  completesAtName: boolean;
  questionMarkHelps: boolean;
  /** Ctrl-U clears the text but leaves the command menu open, so Enter still chooses from it. */
  clearingLeavesMenu: boolean;
  tabs: 'keep' | 'spaces';
  /** What the tool appends to a paste. */
  pasteTail: string;
  burst: { ms: number; after: 'paste' | 'typing'; as: 'swallow' | 'newline' };
}

/** Left, fill and right of the rows above, beside and below. An empty fill draws no row. */
export interface Border {
  above: [left: string, fill: string, right: string];
  beside: [left: string, right: string];
  below: [left: string, fill: string, right: string];
}

const border = (above: string, beside: string, below: string): Border => ({
  above: triple(above),
  beside: [beside[0]?.trim() ? `${beside[0]} ` : '', beside[1]?.trim() ? ` ${beside[1]}` : ''],
  below: triple(below),
});

const triple = (text: string): [string, string, string] =>
  text.length === 1 ? ['', text, ''] : [text[0] ?? '', text[1] ?? '', text[2] ?? ''];

export const BORDERS = {
  none: border('', '', ''),
  rules: border('─', '', '─'),
  box: border('┌─┐', '││', '└─┘'),
  rounded: border('╭─╮', '││', '╰─╯'),
  double: border('╔═╗', '║║', '╚═╝'),
  ascii: border('+-+', '||', '+-+'),
  blocks: border('▄', '', '▀'),
  bar: { above: ['┃', '', ''], beside: ['┃  ', ''], below: ['╹', '▀', ''] },
} satisfies Record<string, Border>;
