import { textColumns } from '../../base/index.ts';
import type { Input } from '../command.ts';

/** Lines that no terminal limits are at most this wide. */
const DEFAULT_WIDTH = 100;
const MIN_WIDTH = 20;

/** How wide text for people may be: the terminal's width, else a usual one. */
export function textWidth({ outSize }: Pick<Input, 'outSize'>): number {
  return Math.max(MIN_WIDTH, outSize()?.columns ?? DEFAULT_WIDTH);
}

interface Wrapping {
  width: number;
  /** Further lines begin with it. */
  indent: string;
  /** A quoted command, or a word wider than a line, stays whole, so that it can be copied. */
  whole?: boolean;
}

/**
 * Breaks a text between words. Further lines begin with `indent`. A word is broken only if it is wider than a line. Colour
 * sequences take no space.
 */
export function wrapText(text: string, { width, indent, whole = false }: Wrapping): string[] {
  const lines: string[] = [];
  let line = '';
  let used = 0;
  const room = (): number => Math.max(1, width - (lines.length > 0 ? indent.length : 0));
  const end = (): void => {
    lines.push(`${lines.length > 0 ? indent : ''}${line}`.trimEnd());
    line = '';
    used = 0;
  };
  const words = whole ? (text.match(QUOTED_OR_WORD) ?? []) : text.split(' ');
  for (const [index, word] of words.entries()) {
    for (let rest = word, first = true; first || rest !== ''; first = false) {
      const columns = shownColumns(rest);
      const gap = index > 0 && first && line !== '' ? 1 : 0;
      if (used + gap + columns <= room()) {
        line += (gap ? ' ' : '') + rest;
        used += gap + columns;
        break;
      }
      if (line !== '') end();
      if (whole || columns <= room()) {
        line = rest;
        used = columns;
        break;
      }
      const part = beginning(rest, room());
      line = part;
      end();
      rest = rest.slice(part.length);
    }
  }
  if (line !== '' || lines.length === 0) end();
  return lines;
}

const QUOTED_OR_WORD = /(?:"[^"]*"|[^\s"]|")+/g;

const COLOURS = /\u001b\[[0-9;]*m/g;

const shownColumns = (text: string): number => textColumns(text.replace(COLOURS, ''));

function beginning(word: string, columns: number): string {
  let part = '';
  for (const character of word) {
    if (part !== '' && shownColumns(part + character) > columns) break;
    part += character;
  }
  return part;
}
