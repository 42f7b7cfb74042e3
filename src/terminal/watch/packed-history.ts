import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** So many are packed together: screens that follow each other are alike, and take a tenth of their room. */
const TOGETHER = 20;

/**
 * The last `kept` records or a few more, oldest first. All but the newest are packed: a thousand screens of each of fifty
 * agents would be half a gigabyte.
 */
export class PackedHistory<T> {
  readonly #kept: number;
  #packed: Uint8Array[] = [];
  #newest: T[] = [];

  constructor(kept: number) {
    this.#kept = kept;
  }

  add(record: T): void {
    this.#newest.push(record);
    if (this.#newest.length < 2 * TOGETHER) return;
    this.#packed.push(pack(this.#newest.splice(0, TOGETHER)));
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

/** In a room of its own: what zlib gives back keeps 16 KB, however little it fills of them. */
export function pack(records: unknown[]): Uint8Array {
  return new Uint8Array(deflateRawSync(JSON.stringify(records), { level: 1 }));
}

function unpack<T>(block: Uint8Array): T[] {
  return JSON.parse(inflateRawSync(block).toString('utf8')) as T[];
}
