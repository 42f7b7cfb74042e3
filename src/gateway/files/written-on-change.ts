import { stableJson, writeFileAtomic } from '../../base/index.ts';

/** A JSON file that mirrors a value: written when the value changed, and not otherwise. Derived, so not fsynced. */
export class WrittenOnChange {
  readonly path: string;
  #last = '';

  constructor(path: string) {
    this.path = path;
  }

  write(value: unknown): void {
    const text = stableJson(value);
    if (text === this.#last) return;
    writeFileAtomic(this.path, text, { durable: false });
    this.#last = text;
  }
}
