/** How one cell is drawn. Colours: null is the terminal's default, a number is a palette entry, `#rrggbb` is true colour. */
export type Colour = null | number | `#${string}`;

export interface Style {
  fg: Colour;
  bg: Colour;
  bold: boolean;
  dim: boolean;
  italic: boolean;
  underline: boolean;
  inverse: boolean;
}

export const PLAIN: Style = Object.freeze({
  fg: null,
  bg: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  inverse: false,
});

export function sameStyle(a: Style, b: Style): boolean {
  if (a === b) return true;
  const flags = a.bold === b.bold && a.dim === b.dim && a.italic === b.italic && a.underline === b.underline;
  return flags && a.inverse === b.inverse && a.fg === b.fg && a.bg === b.bg;
}

/** Red, green and blue of a colour, 0..255; undefined for the default colour. */
export function rgbOf(colour: Colour): [number, number, number] | undefined {
  if (colour === null) return undefined;
  if (typeof colour === 'string') {
    const value = Number.parseInt(colour.slice(1), 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  if (colour >= 232) return grey(8 + (colour - 232) * 10);
  if (colour >= 16) {
    const index = colour - 16;
    return [cube(Math.floor(index / 36)), cube(Math.floor(index / 6) % 6), cube(index % 6)];
  }
  return BASIC[colour] ?? undefined;
}

const grey = (level: number): [number, number, number] => [level, level, level];
const cube = (step: number): number => (step === 0 ? 0 : 55 + step * 40);

const BASIC: [number, number, number][] = [
  [0, 0, 0],
  [205, 0, 0],
  [0, 205, 0],
  [205, 205, 0],
  [0, 0, 238],
  [205, 0, 205],
  [0, 205, 205],
  [229, 229, 229],
  [127, 127, 127],
  [255, 0, 0],
  [0, 255, 0],
  [255, 255, 0],
  [92, 92, 255],
  [255, 0, 255],
  [0, 255, 255],
  [255, 255, 255],
];

/**
 * A grey of middle brightness, which tools use for hints and placeholders on light and dark themes. Near-white and
 * near-black text is not, and neither is anything with a hue.
 */
export function isMidGrey(colour: Colour): boolean {
  const rgb = rgbOf(colour);
  if (!rgb) return false;
  const high = Math.max(...rgb);
  const low = Math.min(...rgb);
  return high - low <= 40 && high >= 64 && high <= 190;
}

/** A colour with a hue of its own: spinners, warnings, accents. */
export function isHued(colour: Colour): boolean {
  const rgb = rgbOf(colour);
  return rgb !== undefined && Math.max(...rgb) - Math.min(...rgb) > 40;
}
