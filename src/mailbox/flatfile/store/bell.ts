import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import * as net from 'node:net';
import * as path from 'node:path';
import { type Clock, errnoOf, randomHex } from '../../../base/index.ts';

/**
 * How the lock holder wakes a writer that waits for its answer: one byte into a named pipe of the writer. A hint and
 * nothing more; whoever cannot make a pipe, or misses the ring, looks again after a while.
 */
export class Bell {
  #directory: string;
  #name: string | undefined;
  #socket: net.Socket | undefined;
  #rung: (() => void) | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** The pipe's name for the holder, hung up if need be; undefined where there are no named pipes. */
  hang(): string | undefined {
    if (this.#socket) return this.#name;
    const name = `${process.pid}-${randomHex(4)}.bell`;
    const file = path.join(this.#directory, name);
    const fd = makePipe(file);
    if (fd === undefined) return undefined;
    this.#name = name;
    this.#socket = new net.Socket({ fd, readable: true, writable: false });
    this.#socket.on('data', () => this.#rung?.());
    this.#socket.on('error', () => this.takeDown());
    this.#socket.unref();
    return name;
  }

  /** Waits for a ring, at most this long. */
  async heard(clock: Clock, ms: number): Promise<void> {
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
    if (this.#name !== undefined) fs.rmSync(path.join(this.#directory, this.#name), { force: true });
    this.#name = undefined;
  }
}

const PIPE_NAME = /^\d+-[0-9a-f]{8}\.bell$/;
const MOST_OPEN = 128;

/** The holder's side. Keeps the pipes of writers open that it wakes again and again. */
export class Ringer {
  #directory: string;
  #open = new Map<string, number>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Rings, if somebody is there to hear. */
  ring(name: unknown): void {
    if (typeof name !== 'string' || !PIPE_NAME.test(name)) return;
    try {
      fs.writeSync(this.#open.get(name) ?? this.#reach(name), '!');
    } catch (error) {
      // Full of rings already is as good as rung; anything else means that nobody is there any more.
      if (errnoOf(error) !== 'EAGAIN') this.#close(name);
    }
  }

  #reach(name: string): number {
    for (const oldest of this.#open.size < MOST_OPEN ? [] : [...this.#open.keys()].slice(0, 1))
      this.#close(oldest);
    const { O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
    const fd = fs.openSync(path.join(this.#directory, name), O_WRONLY | O_NONBLOCK | O_NOFOLLOW);
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

function makePipe(file: string): number | undefined {
  try {
    if (!mkfifo) {
      const koffi = createRequire(import.meta.url)('koffi') as {
        load(library: null): { func(prototype: string): Mkfifo };
      };
      mkfifo = koffi.load(null).func('int mkfifo(const char *path, unsigned int mode)');
    }
    if (mkfifo(file, 0o660) !== 0) return undefined;
    // Open for both, so that it never ends while nobody rings.
    return fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
  } catch {
    return undefined;
  }
}
