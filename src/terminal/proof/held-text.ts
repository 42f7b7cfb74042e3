import type { Facts, InputRules } from '../../screen/index.ts';

/**
 * How the content of a composer relates to a text that was put there. `all`: the whole text and nothing else. `end`:
 * the composer is full and shows the last part. `chip`: a label represents it. `empty`: nothing. `none`: no composer is
 * shown. `other`: anything else.
 */
export type Held = 'all' | 'end' | 'chip' | 'empty' | 'none' | 'other';

/** A visible part shorter than this proves nothing. */
const LEAST_PART = 16;
/** … unless it is this many whole lines. */
const LEAST_ROWS = 4;

export function heldText(facts: Facts, sent: string, rules: InputRules): Held {
  const composer = facts.composer.value;
  if (composer?.mode !== 'prompt') return 'none';
  if (composer.state === 'empty' || composer.state === 'placeholder') return 'empty';
  const shown = essence(composer.text);
  const whole = essence(sent);
  if (shown === whole) return 'all';
  if (rules.pasteChip?.test(composer.text.trim())) return 'chip';
  if (shown.length >= LEAST_PART) return whole.endsWith(shown) ? 'end' : 'other';
  return endsInLines(composer.text, sent) ? 'end' : 'other';
}

/** Short lines fill a composer with few characters; then their order is proof enough. */
function endsInLines(shown: string, sent: string): boolean {
  const rows = shown.split('\n').map(essence);
  if (rows.length < LEAST_ROWS) return false;
  const end = sent.trimEnd().split('\n').slice(-rows.length).map(essence);
  return end.length === rows.length && rows.every((row, at) => row === end[at]);
}

/**
 * Whether the composer holds a beginning of this text, as erasing from its end leaves it, and enough of it to be sure.
 */
export function isBeginning({ composer }: Facts, sent: string): boolean {
  const left = essence(composer.value?.text ?? '');
  return left.length >= LEAST_PART && essence(sent).startsWith(left);
}

export function isHeld(held: Held): boolean {
  return held === 'all' || held === 'end' || held === 'chip';
}

/**
 * What survives drawing: wrapping drops white space, and terminals disagree about marks, joiners, emoji and new Unicode
 * characters. Text that is only emoji is compared with its emoji.
 */
export function essence(text: string): string {
  if (text.length < WORTH_KEEPING) return strip(text);
  if (kept?.text !== text) kept = { text, plain: strip(text) };
  return kept.plain;
}

/** A long prompt is compared at every look, so its essence is kept. */
const WORTH_KEEPING = 2048;
let kept: { text: string; plain: string } | undefined;

function strip(text: string): string {
  return (
    withoutPictures(text) || text.replace(/[\s\p{C}\p{M}\p{Z}\u2800]+/gu, '').replace(RECENT_SCRIPTS, '')
  );
}

/** The essence of part of a text that is more than emoji. */
export function withoutPictures(text: string): string {
  return text.replace(/[\s\p{C}\p{M}\p{Z}\p{So}\p{Sk}\u2800]+/gu, '').replace(RECENT_SCRIPTS, '');
}

/**
 * Scripts and emoji that grow with every Unicode version: a terminal that does not know a character draws nothing for
 * it.
 */
const RECENT_SCRIPTS =
  /[\u0870-\u088f\u0c5c\u0c5d\u0cdc\u0cdd\u170d\u171f\u1b4c-\u1b4f\u1c89\u1c8a\u2c2f\u2c5f\ua7c0\ua7c1\ua7cb-\ua7f4\u{10000}-\u{1f0ff}\u{1f200}-\u{1f2ff}\u{1f6d0}-\u{1f6ff}\u{1f8b0}-\u{1f8ff}\u{1fa00}-\u{1ffff}\u{2a6d7}-\u{2ffff}\u{30000}-\u{10ffff}]+/gu;
