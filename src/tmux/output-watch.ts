import type { ControlMessage } from './control-parser.ts';
import { requirePaneId } from './names.ts';

export interface PaneListener {
  output: (bytes: Buffer) => void;
  /** Bytes were lost because nobody read in time: look at the screen again. */
  gap: () => void;
}

/** After a second in which its reader does not read, tmux drops output for it instead of stopping the program. */
const ON = ['refresh-client', '-f', '!no-output,pause-after=1'];
const OFF = ['refresh-client', '-f', 'no-output'];

/**
 * Which panes' bytes a control client is given. Output is on only while a pane is watched.
 *
 * The danger here is the agent's: tmux stops reading from a program whose output no client takes, and the program
 * then hangs in its next write. So output is never on without `pause-after`, and a pane that nobody here watches is
 * paused (its output is dropped) and never switched `off` (its program would stand still).
 */
export class OutputWatch {
  readonly #command: (command: string[]) => Promise<unknown>;
  readonly #listeners = new Map<string, Set<PaneListener>>();
  readonly #silenced = new Set<string>();

  constructor(command: (command: string[]) => Promise<unknown>) {
    this.#command = command;
  }

  async add(pane: string, listener: PaneListener): Promise<() => void> {
    requirePaneId(pane);
    const first = this.#listeners.size === 0;
    const listeners = this.#listeners.get(pane) ?? new Set();
    this.#listeners.set(pane, listeners.add(listener));
    const remove = (): void => this.#remove(pane, listener);
    try {
      if (first) await this.#command(ON);
      if (this.#silenced.delete(pane)) await this.#command(flow(pane, 'continue'));
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  take(message: Extract<ControlMessage, { kind: 'output' | 'pause' | 'continue' }>): void {
    const listeners = this.#listeners.get(message.pane);
    if (message.kind === 'output') {
      if (!listeners) this.#silence(message.pane);
      else for (const listener of [...listeners]) listener.output(message.bytes);
    } else if (message.kind === 'pause') {
      if (listeners) this.#tell(flow(message.pane, 'continue'));
    } else if (listeners) {
      for (const listener of [...listeners]) listener.gap();
    }
  }

  #silence(pane: string): void {
    if (this.#silenced.has(pane) || this.#listeners.size === 0) return;
    this.#silenced.add(pane);
    this.#tell(flow(pane, 'pause'));
  }

  #remove(pane: string, listener: PaneListener): void {
    const listeners = this.#listeners.get(pane);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.#listeners.delete(pane);
    if (this.#listeners.size === 0) this.#tell(OFF);
  }

  #tell(command: string[]): void {
    this.#command(command).catch(() => {}); // the connection is ending, which its owner is told
  }
}

function flow(pane: string, state: 'pause' | 'continue'): string[] {
  return ['refresh-client', '-A', `${pane}:${state}`];
}
