import * as fs from 'node:fs';
import { isTemporaryName } from '../../../base/index.ts';

type Hear = (file: string) => void;

/** Watches of directories, changed as the list of them changes. What cannot be watched is looked at by a safety net. */
export class DirectoryWatches {
  readonly #watches = new Map<string, fs.FSWatcher>();

  /** Watches exactly these, and says whether one is new; a directory that is not there yet is tried again next time. */
  set(wanted: ReadonlyMap<string, Hear>): boolean {
    const before = new Set(this.#watches.keys());
    for (const [directory, watch] of this.#watches)
      if (!wanted.has(directory)) this.#forget(directory, watch);
    for (const [directory, hear] of wanted) if (!this.#watches.has(directory)) this.#watch(directory, hear);
    return [...this.#watches.keys()].some((directory) => !before.has(directory));
  }

  /** Whether each of these is watched, or is not there. */
  covers(directories: Iterable<string>): boolean {
    for (const directory of directories)
      if (!this.#watches.has(directory) && fs.existsSync(directory)) return false;
    return true;
  }

  close(): void {
    for (const [directory, watch] of this.#watches) this.#forget(directory, watch);
  }

  #watch(directory: string, hear: Hear): void {
    try {
      const watch = fs.watch(directory, (_, file) => {
        if (!file || !isTemporaryName(file)) hear(file ?? '');
      });
      watch.on('error', () => this.#forget(directory, watch));
      this.#watches.set(directory, watch);
    } catch {
      // Gone meanwhile, not there yet, or too many watches.
    }
  }

  #forget(directory: string, watch: fs.FSWatcher): void {
    watch.close();
    this.#watches.delete(directory);
  }
}
