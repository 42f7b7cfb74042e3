/** The last `capacity` things, oldest first. Adding to a full ring costs the same as to an empty one. */
export class Ring<T> {
  readonly capacity: number;
  #items: T[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  add(item: T): void {
    this.#items[this.#next] = item;
    this.#next = (this.#next + 1) % this.capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  get newest(): T | undefined {
    return this.#items[(this.#next - 1 + this.capacity) % this.capacity];
  }

  /** At most `most` of them, the newest, in order of age. */
  last(most = this.capacity): T[] {
    const full = this.#items.length === this.capacity;
    const ordered = full
      ? [...this.#items.slice(this.#next), ...this.#items.slice(0, this.#next)]
      : this.#items;
    return most >= ordered.length ? [...ordered] : ordered.slice(ordered.length - most);
  }
}
