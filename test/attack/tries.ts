/** The tries, and what got through: a response that is no refusal, or a change that no one allowed. */
export class Tries {
  readonly #kinds = new Map<string, { tries: number; through: string[]; skipped?: string }>();

  #of(kind: string) {
    let row = this.#kinds.get(kind);
    if (!row) this.#kinds.set(kind, (row = { tries: 0, through: [] }));
    return row;
  }

  /** One try; `problem` says how it got through. */
  add(kind: string, problem?: string | false): void {
    const row = this.#of(kind);
    row.tries++;
    if (problem) row.through.push(problem);
  }

  /** Records what was found after the tries of a kind: a change, or an owner who waits. */
  found(kind: string, problem: string): void {
    this.#of(kind).through.push(problem);
  }

  skip(kind: string, reason: string): void {
    this.#of(kind).skipped = reason;
  }

  through(kind: string): string[] {
    return this.#of(kind).through;
  }

  /** Neither tried nor left out for a reason. */
  get idle(): string[] {
    return [...this.#kinds].flatMap(([kind, { tries, skipped }]) => (tries === 0 && !skipped ? [kind] : []));
  }

  /** A line for each kind; the last is the sum. */
  report(): string {
    const rows = [...this.#kinds].map(
      ([kind, { tries, through, skipped }]) =>
        `${kind.padEnd(44)} ${String(tries).padStart(6)}  ${skipped ? `skipped: ${skipped}` : `through ${through.length}`}`,
    );
    const all = [...this.#kinds.values()];
    const tries = all.reduce((sum, row) => sum + row.tries, 0);
    const through = all.reduce((sum, row) => sum + row.through.length, 0);
    return [...rows, `tries ${tries}, through ${through}`].join('\n');
  }
}
