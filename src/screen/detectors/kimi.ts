import type { Detector } from '../detector.ts';
import { AGAIN_TO_EXIT, BRAILLE } from './words.ts';

/** Two columns from the edge, where nothing of the transcript begins. */
const SPINNER = new RegExp(`^ {2}([${BRAILLE}]|[🌑-🌘])`, 'u');

/** Kimi Code. Says nothing of Escape while busy; a moon or a braille cell above the box is all. Tips rotate in the footer. */
export const kimi: Detector = {
  tool: 'kimi',
  versions: { from: '0.35.0', below: '3.0.0', seen: ['0.35.0', '0.43.1', '2.0.2', '2.1.0'] },
  processNames: ['kimi', 'kimi-code'],
  composers: [
    {
      frame: { kind: 'box', column: 1, corners: '╭╮╰╯', sides: ['│', '│'] },
      prompts: [
        { text: ' > ', mode: 'prompt' },
        { text: ' ! ', mode: 'shell' },
      ],
      ghosts: [],
      footerRows: 3,
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'above', row: SPINNER },
    { means: 'busy', where: 'below', row: SPINNER },
    // Its dot blinks; without it only the colour tells the row from an answer.
    { means: 'busy', where: 'above', row: /^ ● Compacting context(…|\.\.\.)/ },
    { means: 'busy', where: 'above', row: /^ {3}Compacting context(…|\.\.\.)/, colour: 'hued' },
    { means: 'pending', where: 'above', rows: 3, row: /^\s+↑ to edit\b/ },
    { means: 'menu', where: 'below', row: /^ │ {3}(→| ) / },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'interrupted', where: 'turn', row: /^\s+Interrupted by user$/ },
    { means: 'failure', where: 'turn', row: /^\s+Error: / },
    { means: 'logged_out', where: 'turn', row: /^\s+Error: \[provider\.auth_error\]/ },
    { means: 'success', where: 'turn', row: /^ ● / },
  ],
  completion: { where: 'below', entry: /^ │ {3}→ (\S+)\s/, chosenBy: 'mark' },
  transcript: { prompt: /^ ✨ \S/u, answered: /^ [●✗✓]|^ {3}(Interrupted|Error)\b/u },
  input: {
    pasteGapMs: 250,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know may be dropped' },
    ],
    pasteChip: /^\[paste #\d+ \+\d+ lines\]$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/new',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
  signals: ['kimi_wire'],
};
