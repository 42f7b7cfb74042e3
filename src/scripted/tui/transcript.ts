import * as fs from 'node:fs';
import { errnoOf, FileTroubles, invalid, messageOf, systemClock } from '../../base/index.ts';

/** One line of the transcript. docs/scripted-agent.md describes the types and their fields. */
export interface TranscriptRecord {
  seq: number;
  at: string;
  type: string;
  [fact: string]: unknown;
}

/**
 * The agent's own record, one JSON object per line, readable only by its owner. A record is written before anything else
 * happens, so kill -9 loses nothing that was received. On a full disk records wait until there is space.
 */
export class Transcript {
  readonly path: string;
  #fd: number;
  #waiting: Buffer[] = [];
  #writer = new FileTroubles(systemClock).writer('transcript', () => this.#flush());

  constructor(path: string) {
    this.path = path;
    try {
      this.#fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_APPEND, 0o600);
      if (fs.fstatSync(this.#fd).isFile()) fs.fchmodSync(this.#fd, 0o600);
    } catch (error) {
      throw invalid(`--transcript ${path} cannot be written: ${messageOf(error)}`, {
        hint: 'Name a file in a directory that exists and that you may write to.',
      });
    }
    if (this.#endsTorn()) this.#write('\n');
  }

  append(record: TranscriptRecord): void {
    this.#write(`${JSON.stringify(record)}\n`);
  }

  #write(text: string): void {
    this.#waiting.push(Buffer.from(text));
    this.#writer.write();
  }

  /** A killed writer may have left an incomplete line; the next record must not be appended to it. */
  #endsTorn(): boolean {
    const size = fs.fstatSync(this.#fd).size;
    if (size === 0) return false;
    const last = Buffer.alloc(1);
    fs.readSync(this.#fd, last, 0, 1, size - 1);
    return last[0] !== 0x0a;
  }

  /** Writes what is waiting. The part of a record that was already written is not written again. */
  #flush(): void {
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      try {
        const written = fs.writeSync(this.#fd, bytes);
        if (written === bytes.length) this.#waiting.shift();
        else this.#waiting[0] = bytes.subarray(written);
      } catch (error) {
        if (errnoOf(error) !== 'EAGAIN' && errnoOf(error) !== 'EINTR') throw error;
      }
    }
  }

  close(): void {
    this.#writer.stop();
    fs.closeSync(this.#fd);
  }
}
