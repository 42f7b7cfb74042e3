/** A line, or the size of a line that was too long to keep. */
export type Line = { text: string; bytes: number } | { text: null; bytes: number };

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Splits bytes into lines, however they are cut into chunks. Holds at most one line of `longest` bytes. A longer line is
 * counted and dropped, so output cannot exhaust the memory.
 */
export class LineSplitter {
  readonly #longest: number;
  #held: Uint8Array[] = [];
  #bytes = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** The chunk may be reused by the caller afterwards. */
  feed(chunk: Uint8Array): Line[] {
    const lines: Line[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const part = chunk.subarray(from, end);
      if (this.#bytes === 0 && part.length <= this.#longest) lines.push(lineOf(part));
      else {
        this.#hold(part);
        lines.push(this.#take());
      }
      from = end + 1;
    }
    this.#hold(chunk.subarray(from));
    return lines;
  }

  /** The text after the last newline. */
  end(): Line[] {
    return this.#bytes === 0 ? [] : [this.#take()];
  }

  #hold(part: Uint8Array): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#longest) this.#held = [];
    else this.#held.push(part.slice());
  }

  #take(): Line {
    const bytes = this.#bytes;
    const whole = Buffer.concat(this.#held);
    this.#held = [];
    this.#bytes = 0;
    return bytes > this.#longest ? { text: null, bytes } : lineOf(whole);
  }
}

function lineOf(line: Uint8Array): Line {
  const end = line.at(-1) === RETURN ? line.length - 1 : line.length;
  return { text: Buffer.from(line.buffer, line.byteOffset, end).toString('utf8'), bytes: line.length };
}
