/** A pass that is made while it is due, never twice at once. A pass that fails is the business of whoever made it. */
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

  /** Whoever comes while a pass is under way waits for one that began later. */
  async run(): Promise<void> {
    await this.#underWay;
    if (!this.#isDue()) return;
    this.#underWay ??= this.#pass().finally(() => {
      this.#underWay = undefined;
    });
    await this.#underWay;
  }
}
