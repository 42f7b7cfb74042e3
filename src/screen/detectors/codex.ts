import type { Detector } from '../detector.ts';
import { AGAIN_TO_EXIT, BRAILLE, FORM_KEYS } from './words.ts';

/**
 * Codex. From 0.166 on the "Working" row goes away with the first word of the answer; until the end only the title
 * (or the rollout log) tells, so a turn without its closing row counts as running unless the title says idle.
 * Forms borrow the composer's look; they hang closer to the bottom and to what stands above.
 */
export const codex: Detector = {
  tool: 'codex',
  versions: { from: '0.118.0', below: '0.180.0', seen: ['0.118.0', '0.166.0'] },
  processNames: ['codex'],
  composers: [
    {
      frame: { kind: 'open', footer: [2, 3] },
      prompts: [
        { text: '› ', mode: 'prompt' },
        { text: '! ', mode: 'shell' },
      ],
      ghosts: [{ dim: true }],
      clearance: 2,
      showsCursor: true,
    },
  ],
  title: {
    busy: new RegExp(`^[${BRAILLE}] `, 'u'),
    waiting: /^\[ . \] |\bAction Required\b/,
    idle: /^\S.* \| /,
  },
  signs: [
    { means: 'busy', where: 'above', rows: 8, row: /^[•◦●○⠀-⣿] .*\besc to interrupt\b/u },
    {
      means: 'pending',
      where: 'above',
      rows: 12,
      row: /^• (Queued|Messages? to be) .*(inputs?|messages?|submitted)\b/i,
    },
    { means: 'pending', where: 'above', rows: 6, row: /\bedit last queued message\b/ },
    { means: 'menu', where: 'above', rows: 1, row: /^[› ] (\/|@)\S+\s{2,}\S/ },
    { means: 'exit_armed', where: 'below', row: AGAIN_TO_EXIT },
    { means: 'dialog', where: 'below', row: FORM_KEYS },
    { means: 'interrupted', where: 'turn', row: /^■ Conversation interrupted\b/ },
    { means: 'failure', where: 'turn', row: /^■ (?!Conversation interrupted)/ },
    { means: 'success', where: 'turn', rows: 3, row: /^ {2}Worked for \S/ },
  ],
  transcript: {
    prompt: /^› \S/,
    settled: /^ {2}Worked for |^■ |^─ Worked for /,
    answered: /^[•■✗◦⚠]|^ {2}Worked for |^ {2}\S+:\s/u,
  },
  input: {
    pasteGapMs: 150,
    changes: [],
    refuses: [
      { when: /^\s*!/, because: 'a leading ! runs a shell command without approval' },
      { when: /@[\w./-]+$/, because: 'a trailing @name opens a completion that changes the text' },
      { when: /^\s*\/[\w:-]+(\s|$)/, because: 'a slash command it does not know stays in the composer' },
    ],
    pasteChip: /^\[Pasted Content \d+ chars\]( #\d+)?$/,
    interruptKeys: ['Escape'],
    clearKeys: ['C-u'],
    resetCommand: '/new',
    whileBusy: 'steers',
    restoresPrompt: false,
  },
  signals: ['codex_rollout', 'title'],
};
