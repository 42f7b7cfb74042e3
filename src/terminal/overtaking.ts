/**
 * Interrupts that came while a prompt is on the lane. It lets them in where it only waits for its proof; the keys of a
 * prompt and those of an interrupt are never mixed.
 */
export class Overtaking {
  #asked: ((entered: string) => Promise<void>)[] = [];
  #came = new AbortController();

  /** Cuts a wait short when an interrupt comes, or has come. */
  get signal(): AbortSignal {
    return this.#came.signal;
  }

  get waits(): boolean {
    return this.#asked.length > 0;
  }

  ask(interrupt: (entered: string) => Promise<void>): void {
    this.#asked.push(interrupt);
    this.#came.abort();
  }

  /** Presses those that wait. `entered` is the prompt whose turn may be about to begin. */
  async letIn(entered: string): Promise<void> {
    const asked = this.#asked;
    this.#asked = [];
    this.#came = new AbortController();
    for (const interrupt of asked) await interrupt(entered);
  }
}
