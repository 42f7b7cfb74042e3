import type { Skin } from './skin.ts';

export type TerminalInput = NodeJS.ReadStream;

/** The part of the terminal that drawing needs. */
export type TerminalOutput = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'rows' | 'write' | 'on' | 'off'>;

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const ALTERNATE_ON = '\u001b[?1049h';
const ALTERNATE_OFF = '\u001b[?1049l';
const CURSOR_ON = '\u001b[?25h';

/** The terminal modes of a skin. `leave` resets what `enter` set. */
export class TerminalModes {
  #output: TerminalOutput;
  #alternate = false;
  #entered = false;
  #title = '';

  constructor(output: TerminalOutput) {
    this.#output = output;
  }

  enter(skin: Skin): void {
    this.#entered = true;
    this.#alternate = skin.screen === 'alternate';
    this.#output.write(`${this.#alternate ? ALTERNATE_ON : ''}${PASTE_ON}${WRAP_OFF}`);
  }

  /** True when the screen changed, so that everything must be drawn again. */
  switchTo(skin: Skin): boolean {
    const alternate = skin.screen === 'alternate';
    if (!this.#entered || alternate === this.#alternate) return false;
    this.#alternate = alternate;
    this.#output.write(alternate ? ALTERNATE_ON : ALTERNATE_OFF);
    return true;
  }

  setTitle(title: string): void {
    if (title === this.#title || !this.#entered) return;
    this.#title = title;
    this.#output.write(`\u001b]2;${title.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')}\u0007`);
  }

  leave(): void {
    if (!this.#entered) return;
    this.#entered = false;
    this.#output.write(`${PASTE_OFF}${WRAP_ON}${this.#alternate ? ALTERNATE_OFF : '\r\n'}${CURSOR_ON}`);
  }
}
