import { eastAsianWidth } from 'get-east-asian-width';

const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const PLAIN = /^[\u0020-\u007e]*$/;

/** Columns that a code point takes on a terminal: 0, 1 or 2. Close to what terminals do, but no exact copy of any. */
export function charWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  return NO_WIDTH.test(character) ? 0 : eastAsianWidth(code);
}

/** Columns that a text takes. */
export function textColumns(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let columns = 0;
  for (const character of text) columns += charWidth(character);
  return columns;
}
