import * as fs from 'node:fs';
import * as path from 'node:path';
import {
  type Clock,
  DirectoryWatches,
  ensurePrivateDirectory,
  type FileLock,
  type Log,
  messageOf,
  tryLockFile,
} from '../../base/index.ts';
import { noticeFiles } from '../../wire/index.ts';
import type { FleetNeedsParts } from './fleet-needs.ts';

export interface FleetNoticesParts extends Omit<FleetNeedsParts, 'after'> {
  clock: Clock;
  log: Log;
  runtimeDir: string;
  /** The same for every server of one database, and for no other. */
  database: string;
}

interface Running {
  wake(): void;
  stop(): Promise<void>;
}

/** The notices of a fleet server. Nothing of them is loaded before someone on this home subscribes. */
export class FleetNotices {
  readonly #parts: FleetNoticesParts;
  readonly #watches = new DirectoryWatches();
  #running: Promise<Running> | undefined;
  #lock: FileLock | undefined;

  constructor(parts: FleetNoticesParts) {
    this.#parts = parts;
  }

  /** A server works without its notices, so a directory that cannot be made only costs them. */
  start(): this {
    const { directory } = noticeFiles(this.#parts.runtimeDir);
    const signals = path.join(directory, 'signals');
    try {
      ensurePrivateDirectory(signals);
      this.#watches.set(new Map([[signals, () => this.#look()]]));
      this.#look();
    } catch (error) {
      this.#parts.log.warn('no notices are sent', { cause: messageOf(error) });
    }
    return this;
  }

  async stop(): Promise<void> {
    this.#watches.close();
    await this.#running?.then((running) => running.stop()).catch(() => {});
    this.#lock?.release();
  }

  #look(): void {
    const { runtimeDir, database, log } = this.#parts;
    const files = noticeFiles(runtimeDir);
    if (this.#running || !fs.existsSync(files.outbox)) return;
    // Two servers of one database have the same needs.
    this.#lock ??= tryLockFile(path.join(files.directory, `server-${database}.lock`));
    if (!this.#lock) return;
    this.#running = this.#begin(files.directory);
    this.#running.catch((error: unknown) => {
      this.#running = undefined;
      log.warn('no notices are sent', { cause: messageOf(error) });
    });
  }

  async #begin(directory: string): Promise<Running> {
    const [{ NoticeOwner }, { FleetNeeds }] = await Promise.all([
      import('../../notices/index.ts'),
      import('./fleet-needs.ts'),
    ]);
    const { clock, log, database } = this.#parts;
    const source = new FleetNeeds({ ...this.#parts, after: (ms, call) => clock.after(ms, call) });
    return new NoticeOwner({ owner: `server-${database}`, directory, source, clock, log }).start();
  }
}
