import * as fs from 'node:fs';
import { isTemporaryName } from './files.ts';

type OnChange = (file: string) => void;

/** Watches directories, and follows changes of their list. What cannot be watched is covered by the safety look. */
export class DirectoryWatches {
  readonly #watches = new Map<string, fs.FSWatcher>();

  /**
   * Watches exactly these and returns whether one is new. A directory that does not exist yet is tried again next time.
   */
  set(wanted: ReadonlyMap<string, OnChange>): boolean {
    const before = new Set(this.#watches.keys());
    for (const [directory, watch] of this.#watches)
      if (!wanted.has(directory)) this.#forget(directory, watch);
    for (const [directory, onChange] of wanted)
      if (!this.#watches.has(directory)) this.#watch(directory, onChange);
    return [...this.#watches.keys()].some((directory) => !before.has(directory));
  }

  /** Whether each of these is watched or does not exist. */
  covers(directories: Iterable<string>): boolean {
    for (const directory of directories)
      if (!this.#watches.has(directory) && fs.existsSync(directory)) return false;
    return true;
  }

  close(): void {
    for (const [directory, watch] of this.#watches) this.#forget(directory, watch);
  }

  #watch(directory: string, onChange: OnChange): void {
    try {
      const watch = fs.watch(directory, (_, file) => {
        if (!file || !isTemporaryName(file)) onChange(file ?? '');
      });
      watch.on('error', () => this.#forget(directory, watch));
      this.#watches.set(directory, watch);
    } catch {
      // It is gone, does not exist yet, or there are too many watches.
    }
  }

  #forget(directory: string, watch: fs.FSWatcher): void {
    watch.close();
    this.#watches.delete(directory);
  }
}
