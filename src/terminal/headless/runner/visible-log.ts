import * as fs from 'node:fs';
import { type Clock, type Emitter, errnoOf, preview } from '../../../base/index.ts';
import type { CanonicalEvent } from '../events/canonical-event.ts';

const LARGEST = 1024 * 1024;
const LONGEST_LINE = 400;

/**
 * turns.log of the session: what its turns do, for people, one line each and free of control characters, so that a
 * terminal may show it as it is (`tail -F`). The file and the one before it hold at most a megabyte each.
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
      // Only for people to look at; a full disk is told by what must be kept.
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

/** Shows what a turn says and does. An answer told word by word is shown when it pauses. */
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
