/** Runs passes while one is due, never two at once. A pass that fails is handled by the code that made it. */
export class OneAtATime {
  readonly #isDue: () => boolean;
  readonly #pass: () => Promise<void>;
  #underWay: Promise<void> | undefined;

  constructor(isDue: () => boolean, pass: () => Promise<void>) {
    this.#isDue = isDue;
    this.#pass = pass;
  }

  get isUnderWay(): boolean {
    return this.#underWay !== undefined;
  }

  /** A caller who comes during a pass waits for one that began later. */
  async run(): Promise<void> {
    await this.#underWay;
    if (!this.#isDue()) return;
    this.#underWay ??= this.#pass().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }
}
