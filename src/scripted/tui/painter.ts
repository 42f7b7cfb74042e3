import { blockLines, liveLines } from './layout.ts';
import type { View } from './view.ts';

/** Draws views one after the other and writes only changes. It only returns bytes and remembers what it drew. */
export interface Painter {
  paint(view: View): string;
  /** Draws the next frame completely: the size changed or something else wrote to the screen. */
  forget(): void;
}

/** Written before a row, never after it: after a full row it would erase the last cell. */
const ERASE_LINE = '\u001b[K';
const SHOW_CURSOR = '\u001b[?25h';
const HIDE_CURSOR = '\u001b[?25l';

const cursorMode = (view: View): string =>
  view.skin.cursor === 'visible' && !view.dialog ? SHOW_CURSOR : HIDE_CURSOR;

/** The last finished rows that fit above the live part. */
function settledTail(view: View, room: number): string[] {
  const rows: string[] = [];
  for (let at = view.blocks.length - 1; at >= 0 && rows.length < room; at--) {
    rows.unshift(...blockLines(view.blocks[at]!, view));
  }
  return room > 0 ? rows.slice(-room) : [];
}

/** The alternate screen: every row has a fixed position. */
export class FullScreenPainter implements Painter {
  #drawn: string[] | undefined;

  forget(): void {
    this.#drawn = undefined;
  }

  paint(view: View): string {
    const live = liveLines(view);
    const settled = settledTail(view, view.rows - live.stream.length - live.lines.length);
    const above = [...settled, ...live.stream];
    const gap: string[] = Array(Math.max(0, view.rows - above.length - live.lines.length)).fill('');
    const low = view.skin.pin === 'bottom';
    const rows = low ? [...above, ...gap, ...live.lines] : [...above, ...live.lines, ...gap];
    const top = above.length + (low ? gap.length : 0);
    let out = this.#drawn === undefined ? '\u001b[2J' : '';
    for (const [index, row] of rows.entries()) {
      if (this.#drawn?.[index] === row) continue;
      if (this.#drawn !== undefined || row !== '') out += `\u001b[${index + 1};1H${ERASE_LINE}${row}`;
    }
    this.#drawn = rows;
    return `${HIDE_CURSOR}${out}\u001b[${top + live.cursor.row + 1};${live.cursor.column + 1}H${cursorMode(view)}`;
  }
}

/** The main screen: finished rows scroll away, and the live part is redrawn below them. */
export class InlinePainter implements Painter {
  #live: string[] | undefined;
  #cursorRow = 0;
  #lastBlock = 0;
  #clear = false;

  forget(): void {
    this.#clear = this.#live !== undefined;
    this.#live = undefined;
  }

  paint(view: View): string {
    const { stream, lines, cursor } = liveLines(view);
    const live = [...stream, ...lines];
    const out = this.#clear ? this.#afresh(view, live) : this.#onward(view, live);
    this.#clear = false;
    this.#live = live;
    this.#cursorRow = stream.length + cursor.row;
    this.#lastBlock = view.blocks.at(-1)?.id ?? this.#lastBlock;
    const up = live.length - 1 - this.#cursorRow;
    return `${HIDE_CURSOR}${out}${up > 0 ? `\u001b[${up}A` : ''}\u001b[${cursor.column + 1}G${cursorMode(view)}`;
  }

  /** A resize moves rows, so clear the screen and print what still fits. */
  #afresh(view: View, live: string[]): string {
    const settled = settledTail(view, view.rows - live.length);
    return `\u001b[H\u001b[2J${printed([...settled, ...live])}`;
  }

  #onward(view: View, live: string[]): string {
    const fresh = view.blocks.filter((block) => block.id > this.#lastBlock);
    const settled = fresh.flatMap((block) => blockLines(block, view));
    if (this.#live === undefined) return `\r\u001b[J${printed([...settled, ...live])}`;
    const toTop = `\r${this.#cursorRow > 0 ? `\u001b[${this.#cursorRow}A` : ''}`;
    if (settled.length > 0 || live.length !== this.#live.length) {
      return `${toTop}\u001b[J${printed([...settled, ...live])}`;
    }
    let out = toTop;
    for (const [index, row] of live.entries()) {
      if (this.#live[index] !== row) out += `${ERASE_LINE}${row}`;
      out += index < live.length - 1 ? '\r\n' : '';
    }
    return out;
  }
}

const printed = (rows: string[]): string => rows.map((row) => `${ERASE_LINE}${row}`).join('\r\n');
