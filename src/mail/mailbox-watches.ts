/** The watches on one mailbox: each ends by itself, or with the mailbox. */
export class MailboxWatches {
  readonly #ends = new Set<() => void>();

  /** Answers with what ends it. */
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
