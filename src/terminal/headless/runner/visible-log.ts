import * as fs from 'node:fs';
import { type Clock, type Emitter, errnoOf, preview } from '../../../base/index.ts';
import type { CanonicalEvent } from '../events/canonical-event.ts';

const LARGEST = 1024 * 1024;
const LONGEST_LINE = 400;

/**
 * turns.log of the session shows people what its turns do, one line each. It has no control characters, so a terminal can
 * show it directly (`tail -F`). The file and its predecessor hold at most a megabyte each.
 */
export class VisibleLog {
  readonly #file: string;
  readonly #clock: Clock;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  write(turnId: string, what: string, text = ''): void {
    const shown = preview(
      text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g, ' '),
      LONGEST_LINE,
    );
    const time = this.#clock.now().toISOString().slice(11, 19);
    try {
      this.#rotate();
      fs.appendFileSync(
        this.#file,
        `${time} ${turnId} ${what}${shown === '' ? '' : `: ${shown}`}
`,
        {
          mode: 0o600,
        },
      );
    } catch {
      // This file is only for people. A full disk is reported when required files are written.
    }
  }

  #rotate(): void {
    try {
      if (fs.statSync(this.#file).size > LARGEST) fs.renameSync(this.#file, `${this.#file}.1`);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
}

/** Writes the events of a turn to the log. An answer that arrives in parts is written when another event follows. */
export function showEvents(
  turn: { id: string; events: Emitter<CanonicalEvent>; ended: Promise<unknown> },
  log: VisibleLog,
): void {
  let answer = '';
  const flush = (): void => {
    if (answer !== '') log.write(turn.id, 'assistant', answer);
    answer = '';
  };
  turn.events.on(({ kind, message }) => {
    if (kind === 'assistant') {
      if (answer.length < LONGEST_LINE) answer += message;
    } else if (kind !== 'progress' && kind !== 'passthrough') {
      flush();
      log.write(turn.id, kind, message);
    }
  });
  void turn.ended.then(flush);
}
