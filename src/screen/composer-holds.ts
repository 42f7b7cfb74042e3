import type { InputRules } from './detector.ts';

/**
 * How the text in a composer relates to one that was put there.
 * `exactly`: all of it and nothing else. `part`: what is visible is a piece of it (a tall draft scrolls).
 * `chip`: the tool shows a label in its place. `nothing`: the composer is empty. `other`: anything else.
 */
export type Holds = 'exactly' | 'part' | 'chip' | 'nothing' | 'other';

const LEAST_PART = 16;

/** Wrapping eats spaces, so they do not count; nor do the changes the tool is known to make. */
export function composerHolds(shown: string, sent: string, rules: InputRules): Holds {
  const bare = squeeze(shown);
  if (bare === '') return 'nothing';
  const whole = squeeze(sent);
  if (bare === whole) return 'exactly';
  if (rules.pasteChip?.test(shown.trim())) return 'chip';
  return bare.length >= LEAST_PART && whole.includes(bare) ? 'part' : 'other';
}

function squeeze(text: string): string {
  return text.replace(/[\s\u00a0\u200b]+/g, '');
}
