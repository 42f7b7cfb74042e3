/** The terminal is dark in both themes, because tools choose their colours for a dark one. */
export const BACKGROUND = '#0c0f14';
export const FOREGROUND = '#d5dbe5';

const BASE = [
  '#3b4252',
  '#f0707a',
  '#86d993',
  '#f0c674',
  '#82aaff',
  '#c99bf0',
  '#63d3d3',
  '#d5dbe5',
  '#7d879a',
  '#ff8f98',
  '#a5efaf',
  '#ffdd95',
  '#a6c4ff',
  '#dcb8ff',
  '#8fe9e9',
  '#ffffff',
];

type Rgb = readonly [number, number, number];

/** A colour of the wire: `0` to `255` of the palette, or `#rrggbb`; anything else is the default. */
function rgbOf(colour: string | undefined, otherwise: string): Rgb {
  if (colour !== undefined && /^\d{1,3}$/.test(colour)) return ofPalette(Number(colour)) ?? hex(otherwise);
  return hex(colour !== undefined && /^#[0-9a-f]{6}$/i.test(colour) ? colour : otherwise);
}

function ofPalette(index: number): Rgb | undefined {
  if (index < 16) return hex(BASE[index]!);
  if (index < 232) {
    const step = (value: number): number => (value === 0 ? 0 : 55 + 40 * value);
    const cube = index - 16;
    return [step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6)];
  }
  const grey = 8 + 10 * (index - 232);
  return index < 256 ? [grey, grey, grey] : undefined;
}

const hex = (text: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16)) as unknown as Rgb;

function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((value) => {
    const part = value / 255;
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

const contrast = (a: Rgb, b: Rgb): number => {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
};

const ENOUGH = 4.6;

/** Moves a colour towards white or black until it is readable on its background. */
function readable(ink: Rgb, paper: Rgb): Rgb {
  const towards: Rgb = luminance(paper) > 0.18 ? [0, 0, 0] : [255, 255, 255];
  let best = ink;
  for (let part = 0; part <= 1 && contrast(best, paper) < ENOUGH; part += 0.1)
    best = ink.map((value, at) => Math.round(value + (towards[at]! - value) * part)) as unknown as Rgb;
  return best;
}

const css = (rgb: Rgb): string => `rgb(${rgb.join(' ')})`;
const known = new Map<string, { color: string; backgroundColor: string | undefined }>();

interface CellStyle {
  fg?: string | undefined;
  bg?: string | undefined;
  dim?: boolean | undefined;
  inverse?: boolean | undefined;
}

export function coloursOf({ fg, bg, dim, inverse }: CellStyle): {
  color: string;
  backgroundColor: string | undefined;
} {
  const key = `${fg}|${bg}|${dim}|${inverse}`;
  const before = known.get(key);
  if (before) return before;
  let ink = rgbOf(fg, FOREGROUND);
  let paper = rgbOf(bg, BACKGROUND);
  if (inverse) [ink, paper] = [paper, ink];
  if (dim) ink = ink.map((value) => Math.round(value * 0.65)) as unknown as Rgb;
  const made = {
    color: css(readable(ink, paper)),
    backgroundColor: bg !== undefined || inverse ? css(paper) : undefined,
  };
  if (known.size < 5000) known.set(key, made);
  return made;
}
