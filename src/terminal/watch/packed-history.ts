import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** So many are packed together: screens that follow each other are alike, and take a tenth of their room. */
const TOGETHER = 20;

/**
 * The last `kept` records or a few more, oldest first. All but the newest are packed: a thousand screens of each of fifty
 * agents would be half a gigabyte.
 */
export class PackedHistory<T> {
  readonly #kept: number;
  #packed: Buffer[] = [];
  #newest: T[] = [];

  constructor(kept: number) {
    this.#kept = kept;
  }

  add(record: T): void {
    this.#newest.push(record);
    if (this.#newest.length < 2 * TOGETHER) return;
    const text = JSON.stringify(this.#newest.splice(0, TOGETHER));
    this.#packed.push(deflateRawSync(text, { level: 1 }));
    if ((this.#packed.length - 1) * TOGETHER + this.#newest.length >= this.#kept) this.#packed.shift();
  }

  /** At most `most` of them, the newest, in order of age. */
  last(most = this.#kept): T[] {
    const wanted = Math.min(most, this.#kept);
    const blocks = Math.max(0, Math.ceil((wanted - this.#newest.length) / TOGETHER));
    const older = blocks === 0 ? [] : this.#packed.slice(-blocks);
    return [...older.flatMap((block) => unpack<T>(block)), ...this.#newest].slice(-wanted);
  }
}

function unpack<T>(block: Buffer): T[] {
  return JSON.parse(inflateRawSync(block).toString('utf8')) as T[];
}
