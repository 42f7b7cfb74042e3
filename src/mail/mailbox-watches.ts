/** The watches on one mailbox. Each ends on its own or with the mailbox. */
export class MailboxWatches {
  readonly #ends = new Set<() => void>();

  /** Returns a function that ends the watch. */
  add(end: () => void): () => void {
    const stop = (): void => {
      end();
      this.#ends.delete(stop);
    };
    this.#ends.add(stop);
    return stop;
  }

  close(): void {
    for (const stop of [...this.#ends]) stop();
  }
}
