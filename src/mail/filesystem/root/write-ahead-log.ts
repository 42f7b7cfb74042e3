import * as fs from 'node:fs';
import * as path from 'node:path';
import { explainDisk, fsyncDirectory } from '../../../base/index.ts';

/**
 * Flushes the index's write-ahead log: after it, every commit made so far survives a power cut. The index itself is opened
 * without a flush per commit, because SQLite would flush while it holds the write lock; done here, after the lock is
 * given on, the flushes of several processes run side by side and the disk joins them.
 *
 * Safe to open beside SQLite: its POSIX locks are on the database and the shared-memory file, never on the log.
 */
export class WriteAheadLog {
  #file: string;
  #fd: number | undefined;

  constructor(indexFile: string) {
    this.#file = `${indexFile}-wal`;
  }

  /** After a commit, before it is told to anybody. */
  flush(): void {
    try {
      this.#flush();
    } catch (error) {
      throw explainDisk(error, 'what was written to the mail index is not known to be on disk');
    }
  }

  #flush(): void {
    if (this.#fd === undefined) {
      this.#fd = fs.openSync(this.#file, 'r');
      // The log may be new: its name must be on disk too.
      fsyncDirectory(path.dirname(this.#file));
    }
    fs.fdatasyncSync(this.#fd);
  }

  close(): void {
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
  }
}
