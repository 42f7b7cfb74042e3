import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import { type Clock, errnoOf, randomHex } from '../../../base/index.ts';
import type { MailboxPaths } from './mailbox-path.ts';
import { openToUsers, sideMode } from './side-directory.ts';

/** The pipe of whoever holds the lock. It stays when its holder goes. */
const HOLDER = 'holder.bell';

/**
 * How one process wakes another: a byte into its named pipe. The lock holder rings writers that it answered; they ring
 * the holder when they have left a message. A hint and nothing more: whoever cannot make a pipe, or misses the ring,
 * looks again after a while.
 */
export class Bell {
  #paths: MailboxPaths;
  #own: boolean;
  #name: string | undefined;
  #socket: net.Socket | undefined;
  #missing = 0;
  #rung: (() => void) | undefined;

  constructor(paths: MailboxPaths, whose: 'own' | 'holder' = 'own') {
    this.#paths = paths;
    this.#own = whose === 'own';
  }

  /** The pipe's name for those who ring, hung up if need be; undefined where there are no named pipes. */
  hang(): string | undefined {
    if (this.#socket) return this.#name;
    const name = this.#own ? `${process.pid}-${randomHex(4)}.bell` : HOLDER;
    const fd = openPipe(this.#paths, name);
    if (fd === undefined) return undefined;
    this.#name = name;
    // With a buffer of its own it does without a stream's machinery, which costs more than all else a ring does.
    const onread = { buffer: Buffer.alloc(64), callback: (rings: number) => this.#ring(rings) };
    const options = { fd, readable: true, writable: false, onread };
    const socket = new net.Socket(options);
    socket.on('error', () => this.takeDown());
    socket.unref();
    this.#socket = socket;
    return name;
  }

  /** Waits for so many rings, at most this long. */
  async heard(clock: Clock, ms: number, rings = 1): Promise<void> {
    this.#missing = rings;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      this.#rung = () => {
        cancel();
        resolve();
      };
    });
    this.#rung = undefined;
  }

  takeDown(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
    if (this.#own && this.#name !== undefined)
      fs.rmSync(`${this.#paths.spool}/${this.#name}`, { force: true });
    this.#name = undefined;
  }

  #ring(rings: number): boolean {
    this.#missing -= rings;
    if (this.#missing <= 0) this.#rung?.();
    return true;
  }
}

const PIPE_NAME = /^(\d+-[0-9a-f]{8}|holder)\.bell$/;
const MOST_OPEN = 128;

/** The side that rings. Keeps pipes open that it rings again and again. */
export class Ringer {
  #directory: string;
  #open = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rings; true when somebody is there to hear. */
  ring(name: unknown): boolean {
    if (typeof name !== 'string' || !PIPE_NAME.test(name)) return false;
    try {
      fs.writeSync(this.#open.get(name) ?? this.#reach(name), '!');
      return true;
    } catch (error) {
      // Full of rings already is as good as rung; anything else means that nobody is there any more.
      if (errnoOf(error) === 'EAGAIN') return true;
      this.#close(name);
      return false;
    }
  }

  ringHolder(): boolean {
    return this.ring(HOLDER);
  }

  close(): void {
    for (const name of [...this.#open.keys()]) this.#close(name);
  }

  #reach(name: string): number {
    for (const oldest of this.#open.size < MOST_OPEN ? [] : [...this.#open.keys()].slice(0, 1))
      this.#close(oldest);
    const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(`${this.#directory}/${name}`, O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
    this.#open.set(name, fd);
    if (!fs.fstatSync(fd).isFIFO()) throw new Error(`${name} is not a pipe`);
    return fd;
  }

  #close(name: string): void {
    const fd = this.#open.get(name);
    this.#open.delete(name);
    if (fd !== undefined) fs.closeSync(fd);
  }
}

type Mkfifo = (file: string, mode: number) => number;
let mkfifo: Mkfifo | undefined;

function openPipe(paths: MailboxPaths, name: string): number | undefined {
  const file = `${paths.spool}/${name}`;
  try {
    if (!mkfifo) {
      const koffi = createRequire(import.meta.url)('koffi') as {
        load(library: null): { func(prototype: string): Mkfifo };
      };
      mkfifo = koffi.load(null).func('int mkfifo(const char *path, unsigned int mode)');
    }
    // It may be there, the holder's; what else stands in its place is found out next.
    mkfifo(file, sideMode(paths));
    // Open for both, so that it never ends while nobody rings.
    const { O_RDWR, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(file, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
    if (fs.fstatSync(fd).isFIFO()) {
      openToUsers(paths, fd);
      return fd;
    }
    fs.closeSync(fd);
    return undefined;
  } catch {
    return undefined;
  }
}
