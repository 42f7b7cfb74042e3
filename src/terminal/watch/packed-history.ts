import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** How many records are packed together. Successive screens are alike and take a tenth of the space. */
const RECORDS_PER_PACK = 20;

/**
 * The last `kept` records or slightly more, oldest first. All but the newest are packed: a thousand screens for each of
 * fifty agents would be half a gigabyte.
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
    if (this.#newest.length < 2 * RECORDS_PER_PACK) return;
    this.#packed.push(pack(this.#newest.splice(0, RECORDS_PER_PACK)));
    if ((this.#packed.length - 1) * RECORDS_PER_PACK + this.#newest.length >= this.#kept)
      this.#packed.shift();
  }

  /** Returns the newest ones, max `max`, oldest first. */
  last(max = this.#kept): T[] {
    const wanted = Math.min(max, this.#kept);
    const blocks = Math.max(0, Math.ceil((wanted - this.#newest.length) / RECORDS_PER_PACK));
    const older = blocks === 0 ? [] : this.#packed.slice(-blocks);
    return [...older.flatMap((block) => unpack<T>(block)), ...this.#newest].slice(-wanted);
  }
}

/** Copied into a buffer of its own: zlib's result keeps 16 KB however little it uses. */
export function pack(records: unknown[]): Uint8Array {
  return new Uint8Array(deflateRawSync(JSON.stringify(records), { level: 1 }));
}

function unpack<T>(block: Uint8Array): T[] {
  return JSON.parse(inflateRawSync(block).toString('utf8')) as T[];
}
