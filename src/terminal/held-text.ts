import type { Facts, InputRules } from '../screen/index.ts';

/**
 * How what a composer shows relates to a text that was put there.
 * `all`: the whole text and nothing else. `end`: the composer is full and shows the last part. `chip`: a label stands
 * for it. `empty`: nothing. `none`: no composer is to be seen. `other`: anything else.
 */
export type Held = 'all' | 'end' | 'chip' | 'empty' | 'none' | 'other';

/** A visible part shorter than this proves nothing. */
const LEAST_PART = 16;

export function heldText(facts: Facts, sent: string, rules: InputRules): Held {
  const composer = facts.composer.value;
  if (composer?.mode !== 'prompt') return 'none';
  if (composer.state === 'empty' || composer.state === 'placeholder') return 'empty';
  const shown = essence(composer.text);
  const whole = essence(sent);
  if (shown === whole) return 'all';
  if (rules.pasteChip?.test(composer.text.trim())) return 'chip';
  return shown.length >= LEAST_PART && whole.endsWith(shown) ? 'end' : 'other';
}

export function isHeld(held: Held): boolean {
  return held === 'all' || held === 'end' || held === 'chip';
}

/**
 * What survives being drawn: wrapping eats white space, and terminals disagree about marks, joiners and emoji. A text
 * of nothing else is compared with them.
 */
export function essence(text: string): string {
  if (text.length < WORTH_KEEPING) return strip(text);
  if (kept?.text !== text) kept = { text, plain: strip(text) };
  return kept.plain;
}

/** A long prompt is compared with every look at the screen. */
const WORTH_KEEPING = 2048;
let kept: { text: string; plain: string } | undefined;

function strip(text: string): string {
  const plain = text.replace(/[\s\p{C}\p{M}\p{Z}\p{So}\p{Sk}\u2800]+/gu, '');
  return plain === '' ? text.replace(/[\s\p{C}\p{M}\p{Z}]+/gu, '') : plain;
}
