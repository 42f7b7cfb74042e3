/** Steps that undo what was set up, run last first. The same list serves an orderly stop and a failed start. */
export class Ending {
  #steps: (() => unknown)[] = [];
  #run: Promise<void> | undefined;

  add(step: () => unknown): void {
    this.#steps.push(step);
  }

  /** Runs every step once, even if some fail. Then throws the first failure. */
  run(): Promise<void> {
    this.#run ??= this.#all();
    return this.#run;
  }

  async #all(): Promise<void> {
    const failures: unknown[] = [];
    for (const step of this.#steps.reverse()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
