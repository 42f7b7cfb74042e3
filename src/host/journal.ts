import * as fs from 'node:fs';
import { HOST_JOURNAL_FD } from '../wire/index.ts';

/** What a gateway is started with. */
export interface HostedStart {
  /** The session's gateway directory. */
  root: string;
  words: string[];
  env: Record<string, string>;
}

type Line = { start: HostedStart } | { end: string };

const COMPACT_BYTES = 1024 * 1024;

/**
 * Which gateways a host holds, and with what they were started, credentials included: in a file without a name, which only
 * its parent and itself have open. It outlives the host and not its parent. Without a parent nothing is kept.
 */
export class Journal {
  readonly #fd: number | undefined;
  readonly #held = new Map<string, HostedStart>();
  #size = 0;

  constructor() {
    this.#fd = takeOver();
    if (this.#fd === undefined) return;
    for (const line of fs.readFileSync(this.#fd, 'utf8').split('\n')) this.#read(line);
    this.#compact();
  }

  get held(): HostedStart[] {
    return [...this.#held.values()];
  }

  started(start: HostedStart): void {
    this.#held.set(start.root, start);
    this.#append({ start });
  }

  ended(root: string): void {
    if (this.#held.delete(root)) this.#append({ end: root });
  }

  #read(line: string): void {
    try {
      const said = JSON.parse(line) as Line;
      if ('start' in said) this.#held.set(said.start.root, said.start);
      else this.#held.delete(said.end);
    } catch {
      // The last line of a host that was killed while it wrote.
    }
  }

  #append(line: Line): void {
    if (this.#fd === undefined) return;
    if (this.#size > COMPACT_BYTES) this.#compact();
    else this.#write(`${JSON.stringify(line)}\n`);
  }

  #compact(): void {
    fs.ftruncateSync(this.#fd!, 0);
    this.#size = 0;
    this.#write(this.held.map((start) => `${JSON.stringify({ start })}\n`).join(''));
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.#fd!, bytes, done, undefined, this.#size + done);
    this.#size += bytes.length;
  }
}

/** Opened again, so that no child of ours inherits it. */
function takeOver(): number | undefined {
  try {
    const stat = fs.fstatSync(HOST_JOURNAL_FD);
    if (!stat.isFile() || stat.nlink !== 0) return undefined;
    const own = fs.openSync(`/proc/self/fd/${HOST_JOURNAL_FD}`, 'r+');
    fs.closeSync(HOST_JOURNAL_FD);
    return own;
  } catch {
    return undefined;
  }
}
