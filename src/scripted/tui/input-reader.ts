import type { Clock } from '../../base/index.ts';
import { InputDecoder, type InputEvent } from './input-decoder.ts';
import type { TerminalInput } from './terminal.ts';

/** After a lone Escape, and after the beginning of a longer sequence. */
const ESCAPE_MS = 30;
const SEQUENCE_MS = 500;

/** Reads the terminal and passes on the events of each read. */
export class InputReader {
  #input: TerminalInput;
  #clock: Clock;
  #take: (events: InputEvent[]) => void;
  #decoder = new InputDecoder();
  #cancel: (() => void) | undefined;
  #reads = 0;
  #onData = (chunk: Buffer): void => this.#read(chunk);

  constructor(input: TerminalInput, clock: Clock, take: (events: InputEvent[]) => void) {
    this.#input = input;
    this.#clock = clock;
    this.#take = take;
  }

  start(): void {
    this.#input.on('data', this.#onData);
    this.#input.resume();
  }

  pause(): void {
    this.#input.pause();
  }

  resume(): void {
    this.#input.resume();
  }

  stop(): void {
    this.#cancel?.();
    this.#input.off('data', this.#onData);
    this.#input.pause();
  }

  #read(chunk: Buffer): void {
    this.#reads++;
    this.#cancel?.();
    const events = this.#decoder.feed(chunk);
    if (events.length > 0) this.#take(events);
    const { waiting } = this.#decoder;
    if (waiting === 'escape') this.#cancel = this.#clock.after(ESCAPE_MS, () => this.#timeUp());
    if (waiting === 'sequence') this.#cancel = this.#clock.after(SEQUENCE_MS, () => this.#timeUp());
  }

  /** On a busy machine the rest of a sequence may be unread when the timer fires, so read once more first. */
  #timeUp(): void {
    const reads = this.#reads;
    setImmediate(() => {
      if (reads !== this.#reads) return;
      const events = this.#decoder.flush();
      if (events.length > 0) this.#take(events);
    });
  }
}
