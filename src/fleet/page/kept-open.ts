import * as fs from 'node:fs';
import type { Clock } from '../../base/index.ts';

/** Closed when unused for this long. */
const LINGER_MS = 60_000;

interface Kept<T> {
  opened: T;
  identity: string;
  users: number;
  usedMs: number;
}

export interface KeptOpenParts<T> {
  clock: Clock;
  /** The file behind a key. When the file is replaced, it is opened again. */
  fileOf: (key: string) => string;
  /** Throws if it cannot be opened. */
  open: (key: string) => T;
}

/**
 * Databases that stay open between queries. Opening one touches its files, which wakes everyone who watches them, and
 * the driver frees a closed one only when its statements are garbage-collected. A page that opened one per query would
 * trigger its own watches and fill the memory.
 */
export class KeptOpen<T extends { close(): unknown }> {
  readonly #parts: KeptOpenParts<T>;
  readonly #kept = new Map<string, Kept<T>>();
  #cancelSweep: (() => void) | undefined;
  #closed = false;

  constructor(parts: KeptOpenParts<T>) {
    this.#parts = parts;
  }

  /** `work` must be synchronous. */
  use<R>(key: string, work: (opened: T) => R): R {
    const kept = this.#take(key);
    try {
      return work(kept.opened);
    } finally {
      this.#giveBack(key, kept);
    }
  }

  /** Returns undefined if it cannot be opened; what `work` throws is thrown. */
  useIfThere<R>(key: string, work: (opened: T) => R): R | undefined {
    try {
      this.use(key, () => {});
    } catch {
      return undefined;
    }
    return this.use(key, work);
  }

  async useLong<R>(key: string, work: (opened: T) => Promise<R> | R): Promise<R> {
    const kept = this.#take(key);
    try {
      return await work(kept.opened);
    } finally {
      this.#giveBack(key, kept);
    }
  }

  /** Closes those of all other keys. */
  keep(keys: ReadonlySet<string>): void {
    for (const key of this.#kept.keys()) if (!keys.has(key)) this.#forget(key);
  }

  close(): void {
    this.#closed = true;
    this.#cancelSweep?.();
    this.keep(new Set());
  }

  #take(key: string): Kept<T> {
    const identity = identityOf(this.#parts.fileOf(key));
    let kept = this.#kept.get(key);
    if (kept && kept.identity !== identity) {
      this.#forget(key);
      kept = undefined;
    }
    kept ??= { opened: this.#parts.open(key), identity, users: 0, usedMs: 0 };
    kept.users++;
    this.#kept.set(key, kept);
    return kept;
  }

  #giveBack(key: string, kept: Kept<T>): void {
    kept.users--;
    kept.usedMs = this.#parts.clock.monotonic();
    if (this.#closed) this.#forget(key);
    if (this.#kept.get(key) === kept)
      this.#cancelSweep ??= this.#parts.clock.after(LINGER_MS, () => this.#sweep());
    else this.#closeUnused(kept);
  }

  #sweep(): void {
    this.#cancelSweep = undefined;
    const before = this.#parts.clock.monotonic() - LINGER_MS;
    for (const [key, { usedMs, users }] of this.#kept) if (users === 0 && usedMs <= before) this.#forget(key);
    if (this.#kept.size > 0) this.#cancelSweep = this.#parts.clock.after(LINGER_MS, () => this.#sweep());
  }

  #forget(key: string): void {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    if (kept) this.#closeUnused(kept);
  }

  /** One in use is closed by its last user. */
  #closeUnused({ users, opened }: Kept<T>): void {
    if (users > 0) return;
    try {
      // A store that closes later logs its own errors.
      void Promise.resolve(opened.close()).catch(() => {});
    } catch {
      // It was only read, so nothing is lost.
    }
  }
}

function identityOf(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '-';
}
