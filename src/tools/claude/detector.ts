import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS } from '../detector-words.ts';
import type { ToolDetector } from '../tool.ts';

/** Spinner frames of the status row and, in part, of the title. */
const STARS = '·✢✣✤✥✦✧✳✴✵✶✷✸✹✺✻✼✽∗*';

const WAITS_FOR_BACKGROUND = new RegExp(`^[${STARS}] Waiting for \\d+ background \\w+ to finish\\b`, 'u');

/** The keys of a form. The row that states that it waits for the end of a usage limit has such a key too. */
const KEYS_OF_A_FORM = new RegExp(
  `^(?!\\s+Continuing (?:automatically|shortly)\\b).*?(?:${FORM_KEYS.source})`,
  'i',
);

/** Has its own colour; an answer with the same words has not. */
const LOGGED_OUT =
  /^\s*[●⎿]\s+(Not logged in\b|Please run \/login\b|Invalid API key\b|API Error: 40[13]\b|Failed to authenticate\b|OAuth token )/;

/**
 * Claude Code. Dialogs replace the composer, and the title then shows idle, so only the composer itself proves readiness.
 * The footer's "esc to interrupt" disappears as soon as something is typed.
 */
export const DETECTOR: ToolDetector = {
  versions: {
    from: '2.1.0',
    below: '2.2.0',
    seen: ['2.1.100', '2.1.197', '2.1.250', '2.1.300', '2.1.311', '2.1.325', '2.1.326', '2.1.327'],
  },
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [
        { text: '❯ ', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
      ],
      ghosts: [{ dim: true }, { grey: true }],
      footerRows: 4,
      footerList: /^ {2}[●◯○] \S/,
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
    { means: 'busy', where: 'below', row: /^ {2}([⏸⏵]{1,2} .* · )?esc to interrupt\b/u, weak: true },
    { means: 'background', where: 'above', rows: 1, row: WAITS_FOR_BACKGROUND },
    { means: 'pending', where: 'above', rows: 12, row: /^\s+ctrl\+x ctrl\+s to send now\b/ },
    { means: 'pending', where: 'inside', row: /\bedit queued messages\b/ },
    { means: 'menu', where: 'above', attached: true, row: /^ {2}(❯ | {2})[/+*@]/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'dialog', where: 'below', row: /^ {2}enter to \w+ · space to reply\b/ },
    { means: 'dialog', where: 'below', row: KEYS_OF_A_FORM },
    { means: 'interrupted', where: 'turn', row: /^\s+⎿\s+Interrupted\b/ },
    { means: 'failure', where: 'turn', row: /^● API Error\b/ },
    { means: 'logged_out', where: 'turn', row: LOGGED_OUT, colour: 'hued_letter' },
    { means: 'logged_out', where: 'above', rows: 1, row: /^\s{8,}Not logged in\b/, colour: 'hued_letter' },
    { means: 'success', where: 'turn', rows: 3, row: new RegExp(`^[${STARS}] \\p{L}+ for \\d`, 'u') },
  ],
  completion: { where: 'above', entry: /^ {2}❯ (\/\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: {
    prompt: /^[❯!] \S/,
    settled: new RegExp(
      `^[${STARS}] \\p{L}+ for \\d|^\\s+⎿\\s+Interrupted\\b|^● (Please run /login|API Error)\\b`,
      'u',
    ),
    banner: /^.{0,14}\bClaude Code v\d/,
    hintAtRight: true,
    answered: new RegExp(`^●|^[${STARS}] |^\\s+⎿`, 'u'),
    command: /^❯ \/\S+/,
  },
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
    pasteChip: /^\[Pasted text #\d+( \+(?<breaks>\d+) lines)?\]$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'queues',
    restoresPrompt: true,
  },
};
