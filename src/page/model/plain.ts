/**
 * Text of agents is not trusted: it may contain characters that hide, reverse the direction of the text, or once moved a
 * terminal's cursor. They are shown as their code point. Line breaks and tabs stay where a text may have lines; emoji keep
 * their joiners.
 */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

export interface Run {
  text: string;
  /** The code point of a character that is not shown itself. */
  escaped: boolean;
}

const number = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;

export function runsOf(text: string): Run[] {
  const runs: Run[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (character === '\r' && text[index + 1] === '\n') {
      if (index > end) runs.push({ text: text.slice(end, index), escaped: false });
      end = index + 1;
      continue;
    }
    if (index > end) runs.push({ text: text.slice(end, index), escaped: false });
    runs.push({ text: number(character), escaped: true });
    end = index + character.length;
  }
  if (end < text.length) runs.push({ text: text.slice(end), escaped: false });
  return runs;
}

/** The same as one line of plain text, for labels, titles and notifications. */
export const plain = (text: string): string =>
  text.replace(/\s+/g, ' ').replace(UNSEEN, (character) => number(character));

const ADDRESS =
  /\b(?:https?:\/\/|mailto:)[^\s<>"'`\\^{|}\u0000-\u0020\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/gi;
const TRAILING = /[.,;:!?)\]]+$/;

export interface Piece {
  text: string;
  /** Where the link leads, as the browser resolves it; absent for plain text. */
  href?: string;
}

/** Splits text into links and the rest. Only http, https and mailto, each with its real target. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const shown = found.replace(TRAILING, '');
    const href = safeAddress(shown);
    if (!href) continue;
    if (index > end) pieces.push({ text: text.slice(end, index) });
    pieces.push({ text: shown, href });
    end = index + shown.length;
  }
  if (end < text.length) pieces.push({ text: text.slice(end) });
  return pieces;
}

/** The address as the browser resolves it; undefined for everything but the web and mail. */
export function safeAddress(text: string): string | undefined {
  try {
    const url = new URL(text);
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
  } catch {
    return undefined;
  }
}
