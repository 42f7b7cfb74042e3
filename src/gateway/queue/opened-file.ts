import * as fs from 'node:fs';
import { errnoOf, messageOf } from '../../base/index.ts';
import { refusal } from '../../wire/index.ts';

/**
 * A file that this process opened by its path and keeps open. After it is moved, replaced or emptied it still takes
 * writes, but no one will ever read them.
 */
export class OpenedFile {
  readonly path: string;
  readonly #inode: bigint;
  readonly #device: bigint;
  readonly #fix: string;
  #isChecked = false;

  /** `fix` is a sentence: what to do when the file cannot be put back. */
  constructor(path: string, fix: string) {
    const { ino, dev } = fs.statSync(path, { bigint: true });
    this.path = path;
    this.#fix = fix;
    this.#inode = ino;
    this.#device = dev;
  }

  /** What is wrong with the file now, as a sentence; undefined if nothing is. */
  get trouble(): string | undefined {
    try {
      const { ino, dev, size } = fs.statSync(this.path, { bigint: true });
      if (ino !== this.#inode || dev !== this.#device) return `${this.path} was replaced under the gateway`;
      return size === 0n ? `${this.path} was emptied under the gateway` : undefined;
    } catch (error) {
      const gone = errnoOf(error) === 'ENOENT';
      return gone ? `${this.path} was removed under the gateway` : `${this.path}: ${messageOf(error)}`;
    }
  }

  /** Calls back when something may have happened to the file. A hint: where watching fails, the next use checks it anyway. */
  watch(changed: () => void): () => void {
    try {
      const watcher = fs.watch(this.path, { persistent: false }, () => changed());
      watcher.on('error', () => watcher.close());
      return () => watcher.close();
    } catch {
      return () => {};
    }
  }

  /** Throws `unavailable` if something is wrong. Checked once per tick, so all accepts of one commit share one check. */
  requireSound(): void {
    if (this.#isChecked) return;
    const { trouble } = this;
    if (trouble === undefined) {
      this.#isChecked = true;
      process.nextTick(() => {
        this.#isChecked = false;
      });
      return;
    }
    throw refusal('queue_replaced', trouble, { hint: `put the file back; ${this.#fix}` });
  }
}
