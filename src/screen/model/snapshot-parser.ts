import { charWidth } from '../../base/index.ts';
import { padRows, Row, type Screen } from './screen.ts';
import { applySgr } from './sgr.ts';
import { PLAIN, type Style } from './style.ts';

/** tmux's facts about a pane, apart from its content. Any of them may be unknown. */
export interface SnapshotFacts {
  columns?: number | undefined;
  height?: number | undefined;
  cursor?: { x: number; y: number; visible?: boolean | undefined } | undefined;
  alternate?: boolean | undefined;
  title?: string | undefined;
}

const LARGEST_SIDE = 2000;

/**
 * Reads the output of `capture-pane -p -e`: text, line feeds and SGR sequences whose effect continues over lines.
 * Hyperlinks and all other sequences are skipped. Never throws: bytes that cannot be read are shown unchanged.
 */
export function parseSnapshot(text: string, facts: SnapshotFacts = {}): Screen {
  const reader = new SnapshotReader();
  const rows = reader.read(text);
  const widest = rows.reduce((most, row) => Math.max(most, row.chars.length), 0);
  const height = clampSide(facts.height ?? rows.length);
  return {
    columns: clampSide(facts.columns ?? widest),
    height,
    rows: padRows(rows, height),
    cursor: facts.cursor && { ...facts.cursor, visible: facts.cursor.visible },
    title: (facts.title ?? '').trim(),
    alternate: facts.alternate,
    styled: reader.styled,
  };
}

function clampSide(side: number): number {
  return Math.max(1, Math.min(LARGEST_SIDE, Math.floor(side) || 1));
}

class SnapshotReader {
  styled = false;
  #style: Style = PLAIN;

  read(text: string): Row[] {
    const lines = text.replace(/\r/g, '').split('\n');
    if (lines.at(-1) === '') lines.pop();
    return lines.map((line) => this.#readLine(line));
  }

  #readLine(line: string): Row {
    const chars: string[] = [];
    const styles: Style[] = [];
    let joining = false;
    for (let at = 0; at < line.length; ) {
      if (line[at] === '\u001b') {
        at = this.#readEscape(line, at);
        continue;
      }
      const character = String.fromCodePoint(line.codePointAt(at) ?? 32);
      at += character.length;
      const width = joining ? 0 : charWidth(character);
      joining = character === '\u200d';
      if (width === 0) {
        if (chars.length > 0) chars[lastFilled(chars)] += character;
        continue;
      }
      chars.push(character);
      styles.push(this.#style);
      if (width === 2) {
        chars.push('');
        styles.push(this.#style);
      }
    }
    return new Row(chars, styles);
  }

  /** Returns where the sequence ends. */
  #readEscape(line: string, at: number): number {
    const kind = line[at + 1];
    if (kind === '[') {
      let end = at + 2;
      while (end < line.length && !isFinalByte(line.charCodeAt(end))) end++;
      if (line[end] === 'm') {
        this.#style = applySgr(this.#style, line.slice(at + 2, end));
        if (this.#style !== PLAIN) this.styled = true;
      }
      return end + 1;
    }
    if (kind === ']' || kind === 'P' || kind === '_' || kind === '^') return endOfString(line, at + 2);
    if (kind === '(' || kind === ')') return at + 3;
    return at + 2;
  }
}

function isFinalByte(code: number): boolean {
  return code >= 0x40 && code <= 0x7e;
}

/** OSC, DCS and APC end with BEL or ESC \; one without an end covers the rest of the line. */
function endOfString(line: string, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '\u0007') return at + 1;
    if (line[at] === '\u001b' && line[at + 1] === '\\') return at + 2;
  }
  return line.length;
}

function lastFilled(chars: string[]): number {
  return chars.length > 1 && chars.at(-1) === '' ? chars.length - 2 : chars.length - 1;
}
