/** Shapes that several tools share. */

/** Braille cells, the commonest spinner. */
export const BRAILLE = '⠀-⣿';

/** Ctrl-C was pressed once: someone is at the keyboard and about to leave. */
export const AGAIN_TO_EXIT = /(?<!\/\w+ )\bagain to (exit|quit)\b/i;

/** A row of keys below a composer: it belongs to a form, not to the prompt. */
export const FORM_KEYS =
  /\b(enter|esc|any key)\b( to)? (submit|back|go back|cancel|close|save|select|confirm|dismiss|accept)\b|\/ ?esc close\b/i;
