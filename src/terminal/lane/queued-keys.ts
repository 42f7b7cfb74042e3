/**
 * Interrupts and keys that arrive while a prompt is on the lane. Interrupts run while the prompt waits for its proof;
 * both run while the tool does not react. They are never mixed with the keys of the prompt.
 */
export class QueuedKeys {
  #asked: ((entered: string) => Promise<void>)[] = [];
  #came = new AbortController();
  #keys: (() => Promise<void>)[] = [];
  #keysCame = new AbortController();

  /** Cuts a wait short when an interrupt is queued. */
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

  /** Runs the queued interrupts. `entered` is the prompt whose turn may be about to begin. */
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
