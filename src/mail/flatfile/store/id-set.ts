/** Remembers many ids in 16 bytes each, by a 53-bit hash: enough to tell a million apart. */
export class IdSet {
  #slots = new Float64Array(1024);
  #count = 0;

  /** True when it was not there yet. */
  add(id: string): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    return this.#put(hash53(id));
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(hash53(id))] !== 0;
  }

  #put(hash: number): boolean {
    const at = this.#slotOf(hash);
    if (this.#slots[at] === hash) return false;
    this.#slots[at] = hash;
    this.#count++;
    return true;
  }

  /** Where this hash stands, or the free slot where it would. */
  #slotOf(hash: number): number {
    const mask = this.#slots.length - 1;
    let at = hash % this.#slots.length;
    while (this.#slots[at] !== 0 && this.#slots[at] !== hash) at = (at + 1) & mask;
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Float64Array(old.length * 2);
    this.#count = 0;
    for (const hash of old) if (hash !== 0) this.#put(hash);
  }
}

/** Two 32-bit multiplicative hashes side by side; never 0. */
function hash53(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0) || 1;
}
