import { Emitter, isRouseError, notReady } from '../../base/index.ts';

export interface Execution {
  source: 'queue' | 'mail' | 'direct' | 'reminder';
  id: string;
  since: Date;
}

/** One active execution for all sources, and who holds it. */
export class ExecutionSlot {
  readonly changed = new Emitter<Execution | undefined>();
  #current: Execution | undefined;
  #last: Execution | undefined;

  /** The current or last holder of the slot. One that was refused, and typed nothing, is none. */
  get last(): Execution | undefined {
    return this.#last;
  }

  get current(): Execution | undefined {
    return this.#current;
  }

  /** Runs `work` if the slot is free; throws `not_ready` if something else is running. */
  async run<T>(execution: Execution, work: () => Promise<T>): Promise<T> {
    if (this.#current) {
      throw notReady(`the gateway is busy with ${this.#current.source} ${this.#current.id}`);
    }
    const before = this.#last;
    this.#set(execution);
    try {
      return await work();
    } catch (error) {
      if (isRouseError(error) && error.code === 'not_ready') this.#last = before;
      throw error;
    } finally {
      this.#set(undefined);
    }
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    if (this.#current) await this.changed.next((current) => current === undefined);
  }

  #set(execution: Execution | undefined): void {
    this.#current = execution;
    this.#last = execution ?? this.#last;
    this.changed.emit(execution);
  }
}
