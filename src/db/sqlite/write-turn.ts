import * as fs from 'node:fs';
import { queueForFlock, releaseFlock, tryFlock } from '../../base/index.ts';

/** The holder in this process and those that wait for it, per lock file. */
interface Queue {
  holder: WriteTurn | undefined;
  waiting: { who: WriteTurn; go: () => void }[];
}

const queues = new Map<string, Queue>();

/**
 * Lets processes write to one database in the order they came. SQLite's own lock keeps the database right, but its
 * waiters poll: many busy writers lose most of their time that way, and some starve. The kernel's queue is fair and wakes
 * the next one at once. Readers never need a turn.
 *
 * A wait in the kernel's queue takes one of Node's four threads. So writers of one process queue among themselves first;
 * otherwise they could take every thread from the holder, who then could never finish.
 */
export class WriteTurn {
  readonly #file: string;
  #fd: number | undefined;
  #held = false;
  #entering: Promise<void> | undefined;
  #closed = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** True at once if no one else writes, and always if the file cannot be locked: then only SQLite's lock counts. */
  tryEnter(): boolean {
    if (this.#entering !== undefined || this.#queue.holder !== undefined) return false;
    try {
      this.#held = tryFlock(this.#open());
    } catch {
      return true;
    }
    if (this.#held) this.#queue.holder = this;
    return this.#held;
  }

  /** After tryEnter() returned false: resolves when it is our turn. The wait cannot be cancelled; leave() at once instead. */
  enter(): Promise<void> {
    this.#entering ??= this.#wait().then((held) => {
      this.#entering = undefined;
      this.#held = held;
      if (!held) this.#pass();
      if (this.#closed) this.close();
    });
    return this.#entering;
  }

  leave(): void {
    if (this.#held) releaseFlock(this.#open());
    this.#held = false;
    this.#pass();
  }

  /** Ends our turn, also one that we still wait for. */
  close(): void {
    this.#closed = true;
    if (this.#entering !== undefined) return;
    if (this.#fd !== undefined) fs.closeSync(this.#fd);
    this.#fd = undefined;
    this.#held = false;
    this.#pass();
  }

  async #wait(): Promise<boolean> {
    const queue = this.#queue;
    if (queue.holder === undefined) queue.holder = this;
    else await new Promise<void>((go) => queue.waiting.push({ who: this, go }));
    try {
      return await queueForFlock(this.#open());
    } catch {
      return false;
    }
  }

  /** Lets the next writer of this process go. */
  #pass(): void {
    const queue = this.#queue;
    if (queue.holder !== this) return;
    const next = queue.waiting.shift();
    queue.holder = next?.who;
    if (next) next.go();
    else queues.delete(this.#file);
  }

  get #queue(): Queue {
    const queue = queues.get(this.#file) ?? { holder: undefined, waiting: [] };
    queues.set(this.#file, queue);
    return queue;
  }

  #open(): number {
    this.#fd ??= fs.openSync(
      this.#file,
      fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW,
      0o600,
    );
    return this.#fd;
  }
}
