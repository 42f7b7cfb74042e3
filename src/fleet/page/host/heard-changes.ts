import type { PageChange } from '../../../wire/index.ts';

export type Touched = NonNullable<PageChange['touched']>[number];

/** What a look has to do. */
interface Unseen {
  host: boolean;
  /** Every agent, as far as it changed. */
  all: boolean;
  agents: ReadonlySet<string>;
  touched: Touched[];
}

/** What was heard and has been neither looked at nor asked for since. Nothing is looked at or asked for here. */
export class HeardChanges {
  readonly #agents = new Set<string>();
  readonly #touched = new Map<string, Touched>();
  #host = true;
  #all = true;
  #fleet = true;
  #operator = true;

  get isUnseen(): boolean {
    return this.#host || this.#all || this.#agents.size > 0 || this.#touched.size > 0;
  }

  get isUnasked(): boolean {
    return this.#fleet || this.#operator;
  }

  ofHost(): void {
    this.#host = true;
  }

  ofAll(): void {
    this.#all = true;
  }

  ofAgent(id: string): void {
    this.#agents.add(id);
  }

  /** Of what the database knows. */
  ofFleet(): void {
    this.#fleet = true;
  }

  /** Of the operator's mailbox. */
  ofOperator(): void {
    this.#operator = true;
  }

  /** Something of an agent, or of nobody's, is worth asking for again by whoever reads. */
  ofDetail(agent: string | null, what: Touched['what']): void {
    this.#touched.set(`${agent} ${what}`, { agent, what });
    if (what === 'requests') this.#fleet = true;
  }

  takeUnseen(): Unseen {
    const unseen = {
      host: this.#host,
      all: this.#all,
      agents: new Set(this.#agents),
      touched: [...this.#touched.values()],
    };
    this.#host = this.#all = false;
    this.#agents.clear();
    this.#touched.clear();
    return unseen;
  }

  takeUnasked(): { fleet: boolean; operator: boolean } {
    const unasked = { fleet: this.#fleet, operator: this.#operator };
    this.#fleet = this.#operator = false;
    return unasked;
  }
}
