import type { ProcessIdentity } from '../../base/index.ts';
import type { Pane } from '../../tmux/index.ts';
import type { SignalReader } from '../../tools/index.ts';
import { type Foreground, readForeground, type ToolLooks } from './foreground.ts';

/** Follows which program holds the pane, and informs the tool's signals when its process changes. */
export class ToolProcess {
  readonly #looks: ToolLooks;
  #signals: readonly SignalReader[] = [];
  #foreground: Foreground = { kind: 'unknown', tool: undefined, programs: [] };

  constructor(looks: ToolLooks) {
    this.#looks = looks;
  }

  get foreground(): Foreground {
    return this.#foreground;
  }

  get signals(): readonly SignalReader[] {
    return this.#signals;
  }

  listen(signals: readonly SignalReader[]): void {
    this.#signals = signals;
    for (const signal of signals) signal.follow?.(this.#foreground.tool);
  }

  /** Returns true if another program, or another process of it, holds the pane since the last reading. */
  read(pane: Pane | undefined): boolean {
    const before = this.#foreground;
    this.#foreground = pane
      ? readForeground(pane, this.#looks, before)
      : { kind: 'gone', tool: undefined, programs: [] };
    const { kind, tool } = this.#foreground;
    const replaced = tool?.pid !== before.tool?.pid || tool?.startTicks !== before.tool?.startTicks;
    if (replaced) for (const signal of this.#signals) signal.follow?.(tool);
    return replaced || kind !== before.kind;
  }
}

/** The process of a tool as it is stored in records: a restarted tool is another instance. */
export function toolInstance({ pid, startTicks }: ProcessIdentity): string {
  return `${pid}-${startTicks ?? 0}`;
}
