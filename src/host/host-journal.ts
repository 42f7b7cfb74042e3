import * as fs from 'node:fs';
import { pathOfDescriptor } from '../base/index.ts';
import { HOST_JOURNAL_FD } from '../wire/index.ts';

/** What a gateway is started with. */
export interface HostedStart {
  /** The session's gateway directory. */
  root: string;
  words: string[];
  env: Record<string, string>;
}

/** `taking`: about to be started. `settled`: it has run for a while. `suspect`: how often its host ended between the two. */
type Line =
  | { start: HostedStart }
  | { end: string }
  | { taking: string }
  | { settled: string }
  | { suspect: string; times: number };

const COMPACT_BYTES = 1024 * 1024;

/**
 * Which gateways a host holds and how each was started, credentials included. It is a file without a name, open only in the
 * host and its parent: it outlives the host, but not the parent. Without a parent nothing is kept. A gateway that was being
 * started when a host ended may have ended it; it stays a suspect until it has run for a while.
 */
export class HostJournal {
  readonly #fd: number | undefined;
  readonly #held = new Map<string, HostedStart>();
  readonly #taking = new Set<string>();
  readonly #suspected = new Map<string, number>();
  #size = 0;

  constructor() {
    this.#fd = openJournal();
    if (this.#fd === undefined) return;
    for (const line of fs.readFileSync(this.#fd, 'utf8').split('\n')) this.#read(line);
    for (const root of this.#taking) this.#suspected.set(root, this.suspicions(root) + 1);
    this.#taking.clear();
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
    this.#suspected.delete(root);
    if (this.#held.delete(root)) this.#append({ end: root });
  }

  /** How often a host ended before this gateway settled. */
  suspicions(root: string): number {
    return this.#suspected.get(root) ?? 0;
  }

  taking(root: string): void {
    this.#append({ taking: root });
  }

  settled(root: string): void {
    this.#suspected.delete(root);
    this.#append({ settled: root });
  }

  #read(line: string): void {
    try {
      const entry = JSON.parse(line) as Line;
      if ('start' in entry) this.#held.set(entry.start.root, entry.start);
      else if ('taking' in entry) this.#taking.add(entry.taking);
      else if ('suspect' in entry) this.#suspected.set(entry.suspect, entry.times);
      else {
        const root = 'end' in entry ? entry.end : entry.settled;
        if ('end' in entry) this.#held.delete(root);
        this.#taking.delete(root);
        this.#suspected.delete(root);
      }
    } catch {
      // The last line of a host that was killed while writing it.
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
    const lines: Line[] = [
      ...this.held.map((start) => ({ start })),
      ...[...this.#suspected].map(([suspect, times]) => ({ suspect, times })),
    ];
    this.#write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; )
      done += fs.writeSync(this.#fd!, bytes, done, undefined, this.#size + done);
    this.#size += bytes.length;
  }
}

/** The inherited descriptor, opened again so that no child process inherits it. */
function openJournal(): number | undefined {
  try {
    const stat = fs.fstatSync(HOST_JOURNAL_FD);
    const name = pathOfDescriptor(HOST_JOURNAL_FD);
    if (!stat.isFile() || stat.nlink !== 0 || name === undefined) return undefined;
    const own = fs.openSync(name, 'r+');
    fs.closeSync(HOST_JOURNAL_FD);
    return own;
  } catch {
    return undefined;
  }
}
