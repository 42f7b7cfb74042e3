import { FORM_KEYS } from '../detector-words.ts';
import type { ToolDetector } from '../tool.ts';

/** The footer of an idle tool: the directory, or only the keys. A turn puts squares in front of them. */
const IDLE_FOOTER = /^\s*([~/$…]\S*|tab agents\b|ctrl\+p\b)(?!.*\besc\b)/;

const REFUSED =
  /^\s*┃\s+.*\b(api[ -]?keys?|unauthori[sz]ed|forbidden|authenticat\w+|not permitted|credentials?|log ?in)\b/i;

/** opencode. Dialogs float over the composer, which stays visible, so only a visible cursor in its place proves readiness. */
export const DETECTOR: ToolDetector = {
  versions: { from: '1.18.0', below: '1.20.0', seen: ['1.18.25', '1.18.30', '1.18.33'] },
  composers: [
    {
      frame: { kind: 'bar', bar: '┃', foot: '╹', fill: '▀', shellLabel: /^Shell$/ },
      prompts: [{ text: '  ', mode: 'prompt' }],
      ghosts: [{ grey: true, form: /^(Ask anything|Run a command)(…|\.\.\.)/ }],
      showsCursor: true,
      needsIdleSignal: true,
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'below', row: /\besc (again to )?interrupt\b/ },
    { means: 'busy', where: 'below', row: /[■⬝]{4}/u },
    { means: 'idle', where: 'below', rows: 1, row: IDLE_FOOTER },
    { means: 'pending', where: 'above', row: /^\s*┃\s+QUEUED\b/ },
    { means: 'menu', where: 'above', attached: true, row: /^\s*┃.*┃$/u },
    { means: 'shell_mode', where: 'below', row: /\bexit shell mode\b/ },
    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', rows: 3, row: /▣ .* · interrupted\b/ },
    { means: 'failure', where: 'turn', rows: 12, row: /^\s*┃\s+\S/, colour: 'red' },
    // It shows the provider's own message, in a red bar, without the status.
    { means: 'logged_out', where: 'above', rows: 4, row: REFUSED, colour: 'red' },
    { means: 'success', where: 'turn', rows: 3, row: /▣ .* · [\d.]+ ?(ms|s|m|h)\b/ },
  ],
  completion: { where: 'above', entry: /^\s*┃ (\/\S+)\s/, chosenBy: 'background' },
  transcript: { prompt: /^\s{2}┃ {2}\S/, answered: /^ {5}\S/ },
  input: {
    pasteGapMs: 150,
    changes: ['trailing_space'],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! starts shell mode', typedOnly: true },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
    ],
    pasteChip: /^\[Pasted ~(?<lines>\d+) lines\]$/,
    interruptKeys: ['Escape', 'Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/new',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
};
