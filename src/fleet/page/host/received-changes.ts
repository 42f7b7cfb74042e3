import type { PageChange } from '../../../wire/index.ts';

export type Touched = NonNullable<PageChange['touched']>[number];

/** What the next look must cover. */
interface Unseen {
  host: boolean;
  /** Every agent that changed. */
  all: boolean;
  agents: ReadonlySet<string>;
  touched: Touched[];
}

/** Changes that were received and not yet looked at or queried. This class only collects them. */
export class ReceivedChanges {
  readonly #agents = new Set<string>();
  readonly #touched = new Map<string, Touched>();
  #host = true;
  #all = true;
  #fleet = true;
  #operator = true;

  get isUnseen(): boolean {
    return this.#host || this.#all || this.#agents.size > 0 || this.#touched.size > 0;
  }

  get isUnqueried(): boolean {
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

  /** A change in the database. */
  ofFleet(): void {
    this.#fleet = true;
  }

  /** A change in the operator's mailbox. */
  ofOperator(): void {
    this.#operator = true;
  }

  /** Readers should load this part again, of one agent or (null) of none. */
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

  takeUnqueried(): { fleet: boolean; operator: boolean } {
    const unqueried = { fleet: this.#fleet, operator: this.#operator };
    this.#fleet = this.#operator = false;
    return unqueried;
  }
}
