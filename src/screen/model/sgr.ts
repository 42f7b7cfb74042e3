import { type Colour, PLAIN, type Style, sameStyle } from './style.ts';

/** The style after one `ESC [ … m`. Unknown codes change nothing. Without any style, it is the shared PLAIN. */
export function applySgr(style: Style, parameters: string): Style {
  const next = { ...style };
  const parts = parameters.split(';');
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]!;
    if (part.includes(':')) {
      applyColonForm(next, part.split(':').map(Number));
      continue;
    }
    const code = Number(part || 0);
    if (code === 38 || code === 48) {
      const used = parts[at + 1] === '5' ? 2 : parts[at + 1] === '2' ? 4 : 0;
      setColour(next, code, parts.slice(at + 1, at + 1 + used).map(Number));
      at += used;
    } else applyCode(next, code);
  }
  return sameStyle(next, PLAIN) ? PLAIN : next;
}

/** `38:5:n`, `38:2:r:g:b`, `38:2::r:g:b`, and `4:3` for a curly underline. */
function applyColonForm(style: Style, codes: number[]): void {
  const [code, kind] = codes;
  if (code === 4) style.underline = kind !== 0;
  else if (code === 38 || code === 48) {
    setColour(style, code, kind === 2 ? [2, ...codes.slice(-3)] : codes.slice(1, 3));
  }
}

function setColour(style: Style, code: 38 | 48, [kind, ...values]: number[]): void {
  let colour: Colour | undefined;
  if (kind === 5) colour = toByte(values[0]);
  if (kind === 2) {
    const [r, g, b] = [toByte(values[0]), toByte(values[1]), toByte(values[2])];
    colour = `#${((r << 16) | (g << 8) | b).toString(16).padStart(6, '0')}`;
  }
  if (colour === undefined) return;
  if (code === 38) style.fg = colour;
  else style.bg = colour;
}

function applyCode(style: Style, code: number): void {
  if (code === 0) Object.assign(style, PLAIN);
  else if (code === 1) style.bold = true;
  else if (code === 2) style.dim = true;
  else if (code === 3) style.italic = true;
  else if (code === 4) style.underline = true;
  else if (code === 7) style.inverse = true;
  else if (code === 22) {
    style.bold = false;
    style.dim = false;
  } else if (code === 23) style.italic = false;
  else if (code === 24) style.underline = false;
  else if (code === 27) style.inverse = false;
  else if (code === 39) style.fg = null;
  else if (code === 49) style.bg = null;
  else if (code >= 30 && code <= 37) style.fg = code - 30;
  else if (code >= 40 && code <= 47) style.bg = code - 40;
  else if (code >= 90 && code <= 97) style.fg = code - 82;
  else if (code >= 100 && code <= 107) style.bg = code - 92;
}

function toByte(value: number | undefined): number {
  return Math.max(0, Math.min(255, Math.floor(value ?? 0) || 0));
}
