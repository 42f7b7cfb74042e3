import { sha256 } from '../base/index.ts';
import { type AskedDialog, type Dialog, readDialog } from './find-dialog.ts';
import type { Row, Screen } from './model/screen.ts';
import { type Colour, type Style, sameStyle } from './model/style.ts';

/** A run of characters of one style; an absent property is the terminal's default. */
export interface Span {
  text: string;
  fg?: string;
  bg?: string;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
}

/** A screen with colours, for people who view it elsewhere. */
export interface ScreenPicture {
  columns: number;
  rows: number;
  lines: Span[][];
  cursor: { column: number; row: number } | null;
  /** Changes with any visible difference. */
  hash: string;
  dialog: (AskedDialog & { hash: string; kind: string; title: string }) | null;
}

export function pictureOf(screen: Screen, dialog: Dialog | null): ScreenPicture {
  const lines = screen.rows.map(spansOf);
  const { cursor } = screen;
  const shown = cursor && cursor.visible !== false ? { column: cursor.x, row: cursor.y } : null;
  return {
    columns: screen.columns,
    rows: screen.height,
    lines,
    cursor: shown,
    hash: digest([lines, shown]),
    dialog: dialog && asked(screen, dialog),
  };
}

/** Ties a choice to its dialog: other text, or another marked choice, is another dialog. */
export function dialogHash(screen: Screen, dialog: Dialog | null): string | null {
  return dialog && digest([dialog.kind, readDialog(screen).lines]);
}

function asked(screen: Screen, dialog: Dialog): ScreenPicture['dialog'] {
  const read = readDialog(screen);
  const title = read.lines
    .map((line) => line.replaceAll(/[│┃║╭╮╰╯─━═]/gu, ' ').trim())
    .find((line) => line !== '');
  return { ...read, hash: digest([dialog.kind, read.lines]), kind: dialog.kind, title: title ?? dialog.kind };
}

const digest = (value: unknown): string => sha256(JSON.stringify(value)).slice(0, 32);

function spansOf(row: Row): Span[] {
  const spans: Span[] = [];
  let style: Style | undefined;
  let text = '';
  const end = (): void => {
    if (style && text !== '') spans.push(spanOf(text, style));
    text = '';
  };
  for (let column = 0; column < row.chars.length; column++) {
    const next = row.style(column);
    if (!style || !sameStyle(style, next)) {
      end();
      style = next;
    }
    text += row.char(column);
  }
  end();
  const last = spans.at(-1);
  // Trailing blanks without a visible style are dropped.
  if (last && Object.keys(last).length === 1) {
    last.text = last.text.trimEnd();
    if (last.text === '') spans.pop();
  }
  return spans;
}

function spanOf(text: string, { fg, bg, bold, dim, italic, underline, inverse }: Style): Span {
  return {
    // A terminal never shows control characters as themselves.
    text: text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' '),
    ...(fg !== null && { fg: colour(fg) }),
    ...(bg !== null && { bg: colour(bg) }),
    ...(bold && { bold }),
    ...(dim && { dim }),
    ...(italic && { italic }),
    ...(underline && { underline }),
    ...(inverse && { inverse }),
  };
}

const colour = (value: Exclude<Colour, null>): string => String(value);
