/**
 * Which step may follow which, from the first Enter to the end of a prompt. `enter-prompt.ts` has a function for each
 * step, and the compiler holds it to `leadsTo`. `docs/lane.md` shows this table.
 */
export const ENTERING = {
  press: {
    does: 'press Enter, in one tmux command with the check that the composer holds exactly the text and no dialog is open; if the agent was paused in the meantime, erase exactly the text instead',
    ends: '`unconfirmed` if the check fails; in front of a menu the text is erased: `failed`, unless an earlier Enter may have been taken',
    leadsTo: ['prove', 'judge_taken_back'],
  },
  prove: {
    does: 'wait a moment for proof, compared with the screen before the first Enter',
    ends: '`submitted` with proof',
    leadsTo: ['look', 'interrupt_first'],
  },
  look: {
    does: 'look at the composer: if it holds the text and the tool reacted since Enter, Enter was swallowed; if it holds the text and the tool did not react, the tool may still act on it; otherwise the tool took it',
    ends: '',
    leadsTo: ['press', 'take_back', 'await_answer', 'prove_late'],
  },
  await_answer: {
    does: 'press nothing until the tool draws; after 8 s empty the composer, if the tool reads its input',
    ends: '`unconfirmed` for a direct prompt, `left` when the gateway stops',
    leadsTo: ['prove', 'judge_taken_back'],
  },
  prove_late: {
    does: 'wait as long as a proof may take',
    ends: '`submitted` with proof; else `unconfirmed`, with what the screen shows',
    leadsTo: ['interrupt_first'],
  },
  take_back: {
    does: 'Enter was swallowed three times: erase exactly the text',
    ends: '`unconfirmed` if the text is still there',
    leadsTo: ['judge_taken_back'],
  },
  judge_taken_back: {
    does: 'look for proof once more: the last Enter may only have been slow',
    ends: '`submitted` with proof; `unconfirmed` with signs that it was taken; else nothing was taken: queued again, or `failed`',
    leadsTo: ['interrupt_first'],
  },
  interrupt_first: {
    does: 'let a waiting interrupt go first; the prompt is only judged after it, and none of its keys is pressed again',
    ends: '`submitted` with proof; else `unconfirmed`',
    leadsTo: [],
  },
} as const satisfies Record<string, { does: string; ends: string; leadsTo: readonly string[] }>;

export type EnteringStep = keyof typeof ENTERING;

/** The steps that may follow a step. */
export type NextStep<S extends EnteringStep> = (typeof ENTERING)[S]['leadsTo'][number];

/** The table for `docs/lane.md`. */
export function enteringMarkdown(): string {
  const rows = Object.entries(ENTERING).map(([step, { does, ends, leadsTo }]) => {
    const next = leadsTo.map((each) => `\`${each}\``).join(', ');
    return `| \`${step}\` | ${does} | ${next || '–'} | ${ends || '–'} |`;
  });
  return ['| Step | What it does | Then | Or ends as |', '|---|---|---|---|', ...rows].join('\n');
}
