/** C0 but for line feed and tab, DEL, C1, and the marks that change direction or hide text. */
const CONTROLS =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** Sequences of a terminal: their letters would be left over if only ESC was removed. */
const SEQUENCES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

/** Text from outside without terminal sequences and control characters, cut to `max` characters. */
export function cleanText(text: string, max: number): string {
  const clean = text.replace(/\r\n?/g, '\n').replace(SEQUENCES, '').replace(CONTROLS, '').trim();
  if (clean.length <= max) return clean;
  return `${clean.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The same on one line. */
export function cleanLine(text: string, max: number): string {
  return cleanText(text.replace(/\s+/g, ' '), max);
}
