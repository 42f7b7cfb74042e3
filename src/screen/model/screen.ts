import { PLAIN, type Style } from './style.ts';

/**
 * One row of a terminal. `chars[x]` is what column x shows (with its combining marks); the second half of a wide
 * character is ''. Columns past the end are blank.
 */
export class Row {
  readonly chars: readonly string[];
  readonly styles: readonly Style[];
  #text: string | undefined;

  constructor(chars: readonly string[], styles: readonly Style[]) {
    this.chars = chars;
    this.styles = styles;
  }

  /** The text of the row without trailing blanks; no-break spaces become spaces. */
  get text(): string {
    this.#text ??= this.slice(0, this.chars.length).trimEnd();
    return this.#text;
  }

  get blank(): boolean {
    return this.text === '';
  }

  char(column: number): string {
    return this.chars[column] ?? ' ';
  }

  style(column: number): Style {
    return this.styles[column] ?? PLAIN;
  }

  slice(from: number, to: number): string {
    return this.chars
      .slice(from, to)
      .join('')
      .replace(/\u00a0/g, ' ');
  }

  /** The first column that shows something, or -1. */
  indent(): number {
    return this.chars.findIndex((character) => character.trim() !== '');
  }
}

export interface Cursor {
  x: number;
  y: number;
  /** False while the program hides it; undefined if the capture does not record it. */
  visible: boolean | undefined;
}

/** A terminal at one instant. Immutable. */
export interface Screen {
  columns: number;
  /** Exactly `height` rows, top first. */
  rows: readonly Row[];
  height: number;
  cursor: Cursor | undefined;
  title: string;
  alternate: boolean | undefined;
  /** False if the capture has no style at all, so a placeholder cannot be distinguished from typed text. */
  styled: boolean;
}

const EMPTY_ROW = new Row([], []);

export function rowAt(screen: Screen, y: number): Row {
  return screen.rows[y] ?? EMPTY_ROW;
}

/** All rows as text, trailing blank rows dropped. */
export function screenText(screen: Screen): string {
  return screen.rows
    .map((row) => row.text)
    .join('\n')
    .trimEnd();
}

/** Exactly as many rows as the terminal is high. */
export function padRows(rows: Row[], height: number): Row[] {
  const fitted = rows.slice(0, height);
  while (fitted.length < height) fitted.push(EMPTY_ROW);
  return fitted;
}
