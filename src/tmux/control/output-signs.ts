import * as fs from 'node:fs';
import { processStatus } from '../../base/index.ts';
import type { Pane } from '../pane.ts';
import type { SessionLine } from './session-line.ts';

/**
 * Reports that the program in a pane has written something. The terminal's device reports it, without tmux and without the
 * bytes, and maybe before tmux has read them. If the device cannot be watched, tmux sends the bytes.
 */
export class OutputSigns {
  readonly #line: SessionLine;
  readonly #onOutput: () => void;
  #watched = '';
  #stop: (() => void) | undefined;

  constructor(line: SessionLine, onOutput: () => void) {
    this.#line = line;
    this.#onOutput = onOutput;
  }

  /** False while output of the pane is not reported. */
  get isReliable(): boolean {
    return this.#stop !== undefined;
  }

  /** Call at every look: another program may run in the pane, on another terminal. */
  async follow(pane: Pane): Promise<void> {
    const wanted = `${pane.id} ${pane.tty} ${pane.pid} ${pane.dead}`;
    if (wanted === this.#watched) return;
    this.close();
    if (pane.dead) return;
    this.#watched = wanted;
    const stop = this.#watchDevice(pane) ?? (await this.#line.watchOutput(pane.id, this.#onOutput));
    if (this.#watched === wanted) this.#stop = stop;
    else stop();
  }

  close(): void {
    this.#watched = '';
    this.#stop?.();
    this.#stop = undefined;
  }

  #watchDevice({ tty, pid }: Pane): (() => void) | undefined {
    try {
      // In another mount namespace, the same name is another terminal.
      if (fs.statSync(tty).rdev !== processStatus(pid)?.terminal) return undefined;
      const watcher = fs.watch(tty, { persistent: false }, (event) => {
        if (event === 'rename') this.close(); // the terminal is gone
        this.#onOutput();
      });
      watcher.on('error', () => this.close());
      return () => watcher.close();
    } catch {
      return undefined;
    }
  }
}
