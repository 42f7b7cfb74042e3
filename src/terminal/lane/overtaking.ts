/**
 * Interrupts and keys that came while a prompt is on the lane. Interrupts are let in where it only waits for its proof, both
 * where the tool does not answer; the keys of a prompt and theirs are never mixed.
 */
export class Overtaking {
  #asked: ((entered: string) => Promise<void>)[] = [];
  #came = new AbortController();
  #keys: (() => Promise<void>)[] = [];
  #keysCame = new AbortController();

  /** Cuts a wait short when an interrupt comes, or has come. */
  get signal(): AbortSignal {
    return this.#came.signal;
  }

  /** The same for keys. */
  get keysSignal(): AbortSignal {
    return this.#keysCame.signal;
  }

  get waits(): boolean {
    return this.#asked.length > 0;
  }

  ask(interrupt: (entered: string) => Promise<void>): void {
    this.#asked.push(interrupt);
    this.#came.abort();
  }

  askKeys(press: () => Promise<void>): void {
    this.#keys.push(press);
    this.#keysCame.abort();
  }

  /** Presses those that wait. `entered` is the prompt whose turn may be about to begin. */
  async letIn(entered: string): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    this.#came = new AbortController();
    for (const interrupt of asked) await interrupt(entered);
  }

  async letKeysIn(): Promise<void> {
    const keys = this.#keys;
    this.#keys = [];
    this.#keysCame = new AbortController();
    for (const press of keys) await press();
  }
}
