/** Code points that take two columns: East Asian wide and full width, and emoji drawn as pictures. */
const WIDE: [number, number][] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x23e9, 0x23ec],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18cff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f320],
  [0x20000, 0x3fffd],
];

const PICTURE = /^\p{Emoji_Presentation}$/u;
const NO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const SOFT_HYPHEN = 0xad;

/** Columns a code point takes: 0, 1 or 2. A close match of what terminals do, not of any one of them. */
export function charWidth(character: string): 0 | 1 | 2 {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (code !== SOFT_HYPHEN && NO_WIDTH.test(character)) return 0;
  if (code < 0x1100) return 1;
  if (isWide(code) || PICTURE.test(character)) return 2;
  return 1;
}

/** Columns a text takes. */
export function textColumns(text: string): number {
  let columns = 0;
  for (const character of text) columns += charWidth(character);
  return columns;
}

function isWide(code: number): boolean {
  let low = 0;
  let high = WIDE.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [from, to] = WIDE[middle]!;
    if (code < from) high = middle - 1;
    else if (code > to) low = middle + 1;
    else return true;
  }
  return false;
}
