import type { Detector } from '../detector.ts';
import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS, VIM_NORMAL } from './words.ts';

/** Spinner frames of the status row and, in part, of the title. */
const STARS = '·✢✣✤✥✦✧✳✴✵✶✷✸✹✺✻✼✽∗*';

/**
 * Claude Code. Dialogs replace the composer, and the title then says idle, so only the composer itself proves
 * readiness. The footer's "esc to interrupt" disappears as soon as something is typed.
 */
export const claude: Detector = {
  tool: 'claude',
  versions: { from: '2.1.0', below: '2.2.0', seen: ['2.1.197', '2.1.250', '2.1.300', '2.1.325'] },
  processNames: ['claude', 'claude-code'],
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [
        { text: '❯ ', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
      ],
      ghosts: [{ dim: true }, { grey: true }],
      footerRows: 3,
      greyGlyphIsBusy: true,
    },
  ],
  title: { busy: new RegExp(`^[◐◑◒◓${BRAILLE}·✢✶✻✽] `, 'u'), idle: /^✳ / },
  signs: [
    { means: 'busy', where: 'above', row: new RegExp(`^[${STARS}] \\p{L}[^…]*…( |$)`, 'u') },
    {
      means: 'busy',
      where: 'above',
      row: new RegExp(`^[${STARS}] .*(\\besc to interrupt\\b|· Retrying in )`, 'u'),
    },
    { means: 'busy', where: 'above', rows: 12, row: /^\s+\(ctrl\+b .*\bbackground\)/ },
    { means: 'busy', where: 'below', row: /\besc to interrupt\b/ },
    { means: 'pending', where: 'above', rows: 12, row: /^\s+ctrl\+x ctrl\+s to send now\b/ },
    { means: 'pending', where: 'inside', row: /\bedit queued messages\b/ },
    { means: 'menu', where: 'above', attached: true, row: /^ {2}(❯ | {2})[/+*@]/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'menu', where: 'below', row: VIM_NORMAL },
    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^\s+⎿\s+Interrupted\b/ },
    { means: 'failure', where: 'turn', row: /^● API Error\b/ },
    { means: 'success', where: 'turn', rows: 3, row: new RegExp(`^[${STARS}] \\p{L}+ for \\d`, 'u') },
  ],
  completion: { where: 'above', entry: /^ {2}❯ (\/\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: { prompt: /^[❯!] \S/, answered: new RegExp(`^●|^[${STARS}] |^\\s+⎿`, 'u') },
  input: {
    pasteGapMs: 150,
    changes: ['tabs_to_4_spaces'],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
      {
        when: /^\s*\/[\w:-]+(\s|$)/,
        because: 'a slash command it does not know is dropped',
        unlessOffered: true,
      },
    ],
    pasteChip: /^\[Pasted text #\d+( \+\d+ lines)?\]$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'queues',
    restoresPrompt: true,
  },
  signals: ['claude_status_file', 'claude_hooks', 'title'],
};
