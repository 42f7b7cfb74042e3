import { textColumns } from '../base/index.ts';
import type { ComposerShape, Ghost, Mode } from './detector.ts';
import { findFrame, type Place, startsWith, withoutMarks } from './frames.ts';
import { type Row, rowAt, type Screen } from './model/screen.ts';
import { isMidGrey, type Style, sameStyle } from './model/style.ts';

/** Where the tool takes text, and the text there. Rows and columns count from 0. */
export interface Composer {
  shape: ComposerShape;
  /** First and last row, frame included. */
  top: number;
  bottom: number;
  /** First and last row of the text. */
  first: number;
  last: number;
  textColumn: number;
  /** First column after the text area. */
  right: number;
  mode: Mode;
  text: string;
  state: ComposerState;
  glyphIsGrey: boolean;
}

/** `unclear`: text that could be a placeholder or a draft, in a capture without style. */
export type ComposerState = 'empty' | 'placeholder' | 'draft' | 'unclear';

/** The composer around the cursor. Without the cursor inside, a frame is only an old drawing. */
export function findComposer(screen: Screen, shapes: readonly ComposerShape[]): Composer | undefined {
  const { cursor } = screen;
  if (!cursor || cursor.y < 0 || cursor.y >= screen.height) return undefined;
  for (const shape of shapes) {
    if (shape.showsCursor && cursor.visible === false) continue;
    const place = findFrame(screen, shape.frame, cursor.y, shape) ?? aboveMenu(screen, shape, cursor.y);
    const composer = place && readInside(screen, shape, place);
    if (composer) return composer;
  }
  return undefined;
}

/** If the cursor is below the menu of commands, the command is above the line from which that menu hangs. */
function aboveMenu(screen: Screen, { frame, ...shape }: ComposerShape, cursorRow: number): Place | undefined {
  const { menuAboveCursor } = shape;
  if (!menuAboveCursor || frame.kind !== 'lines') return undefined;
  let line = cursorRow;
  while (line > 0 && !rowAt(screen, line).text.startsWith(frame.below.repeat(4))) line--;
  const between = screen.rows.slice(line + 1, cursorRow + 1);
  const isMenu = between.some(({ text }) => menuAboveCursor.test(text));
  if (!isMenu || !/^\/\S*$/.test(rowAt(screen, line - 1).text)) return undefined;
  return findFrame(screen, frame, line - 1, { frame, ...shape });
}

function readInside(screen: Screen, shape: ComposerShape, place: Place): Composer | undefined {
  const firstRow = rowAt(screen, place.first);
  const prompt = shape.prompts.find(({ text }) => startsWith(firstRow, place.left, text));
  if (!prompt) return undefined;
  const textColumn = place.left + textColumns(prompt.text);
  const lines: string[] = [];
  for (let y = place.first; y <= place.last; y++) {
    const row = rowAt(screen, y);
    if (
      y > place.first &&
      withoutMarks(row.slice(place.left, textColumn)).trim() !== '' &&
      !hangsOver(row, textColumn)
    )
      return undefined;
    lines.push(
      row
        .slice(textColumn, place.right)
        .replace(/\u200b/g, '')
        .trimEnd(),
    );
  }
  const glyph = firstRow.style(place.left + prompt.text.search(/\S|$/));
  const text = lines.join('\n').trimEnd();
  const composer = { ...place, shape, textColumn, text, mode: place.mode ?? prompt.mode };
  return {
    ...composer,
    state: stateOf(screen, shape, composer),
    glyphIsGrey: glyph.dim || isMidGrey(glyph.fg),
  };
}

/** A wide character that begins one column early, because tool and terminal disagree about the width of joined characters. */
function hangsOver(row: Row, textColumn: number): boolean {
  return textColumn > 0 && row.char(textColumn) === '' && row.slice(0, textColumn - 1).trim() === '';
}

function stateOf(
  screen: Screen,
  shape: ComposerShape,
  place: Omit<Composer, 'state' | 'glyphIsGrey'>,
): ComposerState {
  const { x, y } = screen.cursor!;
  const atStart = y === place.first && x === place.textColumn;
  if (place.text === '') return atStart && place.first === place.last ? 'empty' : 'draft';
  if (!atStart) return 'draft';
  if (!screen.styled) return shape.ghosts.length > 0 ? 'unclear' : 'draft';
  return shape.ghosts.some((ghost) => looksLike(screen, ghost, place)) ? 'placeholder' : 'draft';
}

/** A placeholder is one line, wrapped at most once. A help page below a composer may be as dim, but is taller. */
const MAX_GHOST_ROWS = 2;

/** Whether every cell of the text, except the one under the cursor, is drawn as this kind of placeholder. */
function looksLike(
  screen: Screen,
  ghost: Ghost,
  place: { first: number; last: number; textColumn: number; right: number; text: string },
): boolean {
  const lines = place.text.split('\n');
  if (lines.length > MAX_GHOST_ROWS || lines.some((line) => line.trim() === '')) return false;
  if (ghost.form && !ghost.form.test(place.text.trim())) return false;
  const alike = ghost.like && colourBelow(screen, place.last, ghost.like);
  if (ghost.like && !alike) return false;
  const firstRow = rowAt(screen, place.first);
  if (ghost.gap && firstRow.char(place.textColumn).trim() !== '') return false;
  let seen = 0;
  for (let y = place.first; y <= place.last; y++) {
    const row = rowAt(screen, y);
    for (let x = place.textColumn; x < place.right; x++) {
      if (
        row
          .char(x)
          .replace(/[\u00a0\u200b]/g, ' ')
          .trim() === ''
      )
        continue;
      if (y === place.first && x === place.textColumn) continue;
      const style = row.style(x);
      if (!isGhostCell(style, ghost) || (alike && style.fg !== alike)) return false;
      seen++;
    }
  }
  return seen > 0;
}

/** The colour of the last cell of these words below a row; undefined if they are missing or in the default colour. */
function colourBelow(screen: Screen, y: number, words: RegExp): Style['fg'] | undefined {
  const row = screen.rows.slice(y + 1).find(({ text }) => words.test(text));
  return row?.style(row.text.length - 1).fg ?? undefined;
}

function isGhostCell(style: Style, ghost: Ghost): boolean {
  if (style.inverse) return false;
  if (ghost.style && !sameStyle(style, ghost.style)) return false;
  return (!ghost.dim || style.dim) && (!ghost.grey || isMidGrey(style.fg));
}
