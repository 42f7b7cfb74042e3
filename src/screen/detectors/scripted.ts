import type { ComposerShape, Detector } from '../detector.ts';
import { AGAIN_TO_EXIT, BRAILLE } from './words.ts';

const SHELL = { text: '! ', mode: 'shell' } as const;

const lines = (above: string, below: string, glyph: string): ComposerShape => ({
  frame: { kind: 'lines', above, below },
  prompts: [{ text: glyph, mode: 'prompt' }, SHELL],
  ghosts: [{ dim: true }, { grey: true, gap: true }],
  footerRows: 2,
});

/**
 * Our own scripted agent, which plays tools for tests. Its usual skins are described here; the odd ones are left to
 * calibration. Some skins lie in title or footer, so neither is believed when it says nothing of a turn.
 */
export const scripted: Detector = {
  tool: 'scripted',
  versions: { from: '0.0.0', below: '1000.0.0', seen: ['0.1.0'] },
  processNames: ['scripted-agent', 'scripted'],
  composers: [
    lines('─', '─', '❯ '),
    lines('─', '─', '> '),
    lines('▄', '▀', ' > '),
    {
      frame: { kind: 'box', column: 0, corners: '╭╮╰╯', sides: ['│', '│'] },
      prompts: [
        { text: ' > ', mode: 'prompt' },
        { text: ' ! ', mode: 'shell' },
      ],
      ghosts: [{ dim: true }],
      footerRows: 2,
    },
  ],
  title: {
    busy: new RegExp(`^([${BRAILLE}] |[✻✶✢·] |✦ |◐ (?!Ready))`, 'u'),
    waiting: /^✋ /,
    idle: /^◇ +Ready\b/,
  },
  signs: [
    { means: 'busy', where: 'above', rows: 3, row: new RegExp(`^\\s{0,2}([${BRAILLE}]|[🌑-🌘]) `, 'u') },
    { means: 'busy', where: 'above', rows: 3, row: /^[·✢✳✶✻] \p{L}[^…]*…( |$)/u },
    { means: 'busy', where: 'below', row: /\besc esc interrupt\b/ },
    { means: 'pending', where: 'above', rows: 12, row: /^ {2}↳ queued: / },
    { means: 'menu', where: 'above', attached: true, row: /^ {2}❯ \S|^ {4}\S/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'interrupted', where: 'turn', row: /^ {2}Interrupted · / },
    { means: 'failure', where: 'turn', row: /^ {2}Error: / },
    { means: 'logged_out', where: 'turn', row: /^ {2}Not logged in · / },
    { means: 'success', where: 'turn', row: /^\s*[●✦◆] \S/ },
  ],
  completion: { where: 'above', entry: /^ {2}❯ (\/\S+)$/, chosenBy: 'mark' },
  transcript: { prompt: /^\s*[❯>✨] \S/u },
  input: {
    pasteGapMs: 0,
    changes: [],
    refuses: [],
    pasteChip: /^\[pasted (text #\d+ \+\d+ lines|\d+ lines #\d+)\]$/i,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/clear',
    whileBusy: 'queues',
    restoresPrompt: false,
  },
  signals: ['scripted_status_file', 'title'],
};
