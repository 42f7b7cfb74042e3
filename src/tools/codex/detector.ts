import type { ComposerShape, InputRules, Sign, TitleSigns } from '../../screen/index.ts';
import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS } from '../detector-words.ts';
import type { ToolDetector } from '../tool.ts';

/** Answers are indented or begin with •; no output of the model begins with ■. */
const LOGGED_OUT =
  /^■ (unexpected status 40[13]\b|Missing environment variable: |.*\b(not (logged|signed) in|(log|sign) in again|run `?codex login)\b)/i;

/** Shared by both kinds of screen. */
const SIGNS: Sign[] = [
  { means: 'busy', where: 'above', rows: 8, row: /^[•◦●○⠀-⣿] .*\besc to interrupt\b/u },
  {
    means: 'pending',
    where: 'above',
    rows: 12,
    row: /^• (Queued|Messages? to be) .*(inputs?|messages?|submitted)\b/i,
  },
  { means: 'pending', where: 'above', rows: 6, row: /\bedit last queued message\b/ },
  { means: 'menu', where: 'above', rows: 1, row: /^[› ] (\/|@)\S+\s{2,}\S/ },
  {
    means: 'menu',
    where: 'below',
    row: /^ {2}(\/\S+\s{2,}\S|\/ for commands\b|no matches$)/,
  },

  { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
  { means: 'dialog', where: 'below', row: FORM_KEYS },
  { means: 'interrupted', where: 'turn', row: /^■ Conversation interrupted\b/ },
  { means: 'failure', where: 'turn', row: /^■ (?!Conversation interrupted)/ },
  { means: 'logged_out', where: 'turn', row: LOGGED_OUT },
  { means: 'success', where: 'turn', rows: 3, row: /^ {2}Worked for \S/ },
];

/** The status line below the composer: the model and the directory with a dot between them, or one of them. */
const STATUS_LINE =
  /^ {2}(?!.*\? for shortcuts|.*\besc back\b)(?:[^\s?←⚠](?:\S| (?! {2}))* · \S|[a-z]\w*[-.][\w.-]+( \w+)?(?= {3}|$)|~(\/\S*)?(?= {3}|$))/i;

/**
 * It shows its composer before it knows whether it must ask for a login or for trust, and its status line once it knows. If
 * a person configured an empty status line, the screen must be still for a while instead.
 */
const STARTING: Sign = {
  means: 'starting',
  where: 'below',
  absent: true,
  row: STATUS_LINE,
  says: 'no status line',
};

const COMPOSER: ComposerShape = {
  frame: { kind: 'open' },
  prompts: [
    { text: '› ', mode: 'prompt' },
    { text: '! ', mode: 'shell' },
  ],
  ghosts: [{ dim: true }],
  footerRows: 2,
  clearance: 2,
  showsCursor: true,
};

const TITLE: TitleSigns = {
  busy: new RegExp(`^[${BRAILLE}] `, 'u'),
  waiting: /^\[ . \] |\bAction Required\b/,
  idle: /^\S.* \| /,
};

const INPUT: InputRules = {
  pasteGapMs: 150,
  changes: [],
  refuses: [
    { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
    { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
    {
      when: /^\s*\/[\w:-]+(\s|$)/,
      because: 'a slash command it does not know stays in the composer',
      unlessOffered: true,
    },
  ],
  pasteChip: /^\[Pasted Content (?<chars>\d+) chars\]( #\d+)?$/,
  interruptKeys: ['Escape'],
  clearKeys: ['C-u'],
  resetCommand: '/new',
  whileBusy: 'steers',
  restoresPrompt: false,
};

/** Does not match the chosen row of a completion list, which has the same glyph. */
const PROMPT = /^› (?![/@]\S+\s{2,}\S)\S/;

const BANNER = />_ OpenAI Codex\b/;

const ANSWERED = /^[•■✗◦⚠]|^ {2}Worked for |^ {2}\S+:\s/u;

/**
 * Codex on the alternate screen. The "Working" row disappears with the first words of the answer; after that only the title
 * (or the rollout log) shows the turn, so a turn without its closing row counts as running unless the title shows idle.
 * Forms look like the composer, but are closer to the rows above.
 */
export const DETECTOR: ToolDetector = {
  versions: {
    from: '0.157.0',
    below: '0.180.0',
    seen: ['0.160.0', '0.163.0', '0.165.0', '0.166.0', '0.169.0'],
  },
  buffer: 'alternate',
  composers: [COMPOSER],
  title: TITLE,
  signs: [...SIGNS, STARTING],
  completion: { where: 'above', entry: /^› (\/\S+)\s{2,}\S/, chosenBy: 'mark' },
  transcript: {
    prompt: PROMPT,
    settled: /^ {2}(Worked for |\d{1,2}:\d\d( [AP]M)?$)|^■ /,
    banner: BANNER,
    answered: ANSWERED,
  },
  input: INPUT,
};

/**
 * Older Codex, on the main screen. Popups are below the composer. Turns end without a closing row, so below a prompt only a
 * title that Codex sets (thread and folder, or the folder's name) proves that nothing runs.
 */
export const INLINE_DETECTOR: ToolDetector = {
  ...DETECTOR,
  versions: { from: '0.118.0', below: '0.157.0', seen: ['0.118.0', '0.130.0', '0.144.0', '0.155.0'] },
  buffer: 'main',
  signs: SIGNS,
  title: { ...TITLE, idle: /^[\w.-]+$|^\S.* \| / },
  completion: { where: 'below', entry: /^ {2}(\/\S+)\s{2,}\S/, chosenBy: 'bold' },
  transcript: { prompt: PROMPT, settled: /^■ /, banner: BANNER, answered: ANSWERED },
};
