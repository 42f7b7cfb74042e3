import type { IBufferCell, IBufferLine, Terminal } from '@xterm/headless';
import { Row, type Screen } from '../../src/screen/model/screen.ts';
import { type Colour, PLAIN, type Style, sameStyle } from '../../src/screen/model/style.ts';

export interface TerminalSize {
  columns: number;
  height: number;
}

/**
 * A terminal fed with the raw output of a pane, so following an idle screen costs nothing. xterm is loaded on first use.
 * Keeps no scrollback: only what a person would see matters.
 */
export class TerminalModel {
  #terminal: Terminal;
  #title = '';
  #cursorVisible = true;

  private constructor(terminal: Terminal) {
    this.#terminal = terminal;
    terminal.onTitleChange((title) => {
      this.#title = title;
    });
    for (const final of ['h', 'l'] as const) {
      terminal.parser.registerCsiHandler({ prefix: '?', final }, (parameters) => {
        if (parameters.includes(25)) this.#cursorVisible = final === 'h';
        return false;
      });
    }
  }

  static async open(size: TerminalSize): Promise<TerminalModel> {
    const { default: xterm } = await import('@xterm/headless');
    const terminal = new xterm.Terminal({
      cols: size.columns,
      rows: size.height,
      scrollback: 0,
      allowProposedApi: true,
      logLevel: 'off',
    });
    return new TerminalModel(terminal);
  }

  /** Resolves when the bytes are part of the screen. */
  write(output: Uint8Array | string): Promise<void> {
    return new Promise((resolve) => this.#terminal.write(output, resolve));
  }

  resize(size: TerminalSize): void {
    this.#terminal.resize(size.columns, size.height);
  }

  /** Sets a title from the caller: tmux changes titles in ways that the program's output does not show. */
  setTitle(title: string): void {
    this.#title = title;
  }

  screen(): Screen {
    const buffer = this.#terminal.buffer.active;
    const cell = buffer.getNullCell();
    const seen = { styled: false };
    const rows = Array.from({ length: this.#terminal.rows }, (_, y) =>
      readLine(buffer.getLine(buffer.viewportY + y), cell, seen),
    );
    return {
      columns: this.#terminal.cols,
      height: this.#terminal.rows,
      rows,
      cursor: { x: buffer.cursorX, y: buffer.cursorY, visible: this.#cursorVisible },
      title: this.#title.trim(),
      alternate: buffer.type === 'alternate',
      styled: seen.styled,
    };
  }

  close(): void {
    this.#terminal.dispose();
  }
}

function readLine(line: IBufferLine | undefined, cell: IBufferCell, seen: { styled: boolean }): Row {
  const chars: string[] = [];
  const styles: Style[] = [];
  let last: Style = PLAIN;
  for (let x = 0; line && x < line.length; x++) {
    line.getCell(x, cell);
    chars.push(cell.getWidth() === 0 ? '' : cell.getChars() || ' ');
    last = styleOf(cell, last);
    styles.push(last);
    if (last !== PLAIN) seen.styled = true;
  }
  return new Row(chars, styles);
}

/** Neighbours usually have the same style, so the last style object is reused. */
function styleOf(cell: IBufferCell, last: Style): Style {
  if (cell.isAttributeDefault()) return PLAIN;
  const style: Style = {
    fg: colourOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor()),
    bg: colourOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor()),
    bold: cell.isBold() !== 0,
    dim: cell.isDim() !== 0,
    italic: cell.isItalic() !== 0,
    underline: cell.isUnderline() !== 0,
    inverse: cell.isInverse() !== 0,
  };
  return sameStyle(style, last) ? last : style;
}

function colourOf(isDefault: boolean, isRgb: boolean, value: number): Colour {
  if (isDefault) return null;
  return isRgb ? `#${value.toString(16).padStart(6, '0')}` : value;
}
