import type { Detector } from '../detector.ts';
import { AGAIN_TO_EXIT, FORM_KEYS } from './words.ts';

/**
 * The footer while no turn runs: what the sidebar offers, then the mode. A turn, and Ctrl-C, put something else there.
 * While it waits for work in the background a prompt is taken at once.
 */
const IDLE_FOOTER =
  /^ (?:← (?:open|use) sidebar\b|(?:Interactive|Plan|Autopilot|Shell) · |\S Waiting for background )/;

/** GitHub Copilot CLI. A turn shows only in the footer, compaction only above the composer. */
export const copilot: Detector = {
  tool: 'copilot',
  versions: { from: '1.0.0', below: '1.1.0', seen: ['1.0.102'] },
  processNames: ['copilot'],
  sidebar: '│',
  composers: [
    {
      frame: { kind: 'lines', above: '─', below: '─' },
      prompts: [
        { text: '❯ ', mode: 'prompt' },
        // With --screen-reader.
        { text: 'Start of Prompt Indicator', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
      ],
      ghosts: [],
      footerRows: 2,
      showsCursor: true,
      needsIdleSignal: true,
    },
  ],
  title: {},
  signs: [
    { means: 'busy', where: 'below', row: /^ ?[○◎◉●◌◍◐◑◒◓] (?!Waiting for background )\p{L}/u },
    {
      means: 'busy',
      where: 'below',
      row: /^(?! ?\S Waiting for background ).*(\besc( esc)? (interrupt|edit prompt)\b|\bctrl\+q enqueue\b)/,
    },
    // At the very edge, where nothing of the transcript stands.
    { means: 'busy', where: 'above', rows: 8, row: /^[○◎◉●◌◍◐◑◒◓] \p{L}/u },
    { means: 'pending', where: 'above', rows: 12, row: /^Queued \(\d+\)/ },
    { means: 'idle', where: 'below', row: IDLE_FOOTER },
    { means: 'pending', where: 'above', rows: 8, row: /\[pending\b/ },
    { means: 'menu', where: 'above', attached: true, row: /^┃|^ {2}❯ [@/#]/ },
    { means: 'menu', where: 'above', rows: 1, row: /^ \S+( → \S+| \S+)? {2,}\S/ },
    { means: 'menu', where: 'below', row: /\bclose help\b/ },
    { means: 'shell_mode', where: 'below', row: /\bexit shell mode\b|^ (← open sidebar · )?Shell · / },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^ ● Operation cancelled by user\b/ },
    { means: 'failure', where: 'turn', row: /^ [✗✕] (?!Shell|Create|Edit|Write)/ },
    { means: 'logged_out', where: 'turn', row: /^ ✗ Authentication failed\b/ },
    { means: 'success', where: 'turn', row: /^ ● / },
  ],
  completion: { where: 'above', entry: /^(?:┃| ) ❯ (\/\S+)(\s|$)/, chosenBy: 'mark' },
  transcript: {
    prompt: /^ ❯ \S/,
    stamp: / {2,}\d{1,2}:\d\d( [AP]M)?[\s┃]*$/,
    answered: /^ [^\s❯/~\p{L}\p{N}] /u,
  },
  input: {
    pasteGapMs: 150,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /\\$/, because: 'a trailing backslash turns Enter into a new line' },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know is dropped' },
    ],
    pasteChip: /^\[Paste #\d+ - \d+ lines\]$/,
    interruptKeys: ['Escape', 'Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'steers',
    restoresPrompt: true,
  },
  signals: ['copilot_events'],
};
