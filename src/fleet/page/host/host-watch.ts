import { type Clock, DirectoryWatches, isProcessAlive, type Log, messageOf } from '../../../base/index.ts';

import { type DirectoryParts, hostDirectories } from './host-directories.ts';
import type { HostPicture } from './host-picture.ts';
import type { ReceivedChanges } from './received-changes.ts';

/** A killed process changes no file, and some states depend on age: while someone watches, look this often. */
const SAFETY_MS = 3000;
/** Agents on other hosts send no notification here: the database is queried for them at every N-th safety look. */
const ELSEWHERE_EACH = 2;

export interface HostWatchParts extends DirectoryParts {
  clock: Clock;
  log: Log;
  /** Calls `onChange` for each change of a request, until the function it resolves to is called. */
  onRequests: (onChange: () => void) => Promise<() => Promise<void>>;
}

/** Listens, between start and stop, for anything that may change the picture, and notes it. */
export class HostWatch {
  readonly #parts: HostWatchParts;
  readonly #directories = new DirectoryWatches();
  #cancelSafety: (() => void) | undefined;
  #stopRequests: Promise<() => Promise<void>> | undefined;
  /** The processes of the last look that had ended by then. */
  #ended: readonly string[] = [];

  constructor(parts: HostWatchParts) {
    this.#parts = parts;
  }

  get #received(): ReceivedChanges {
    return this.#parts.received;
  }

  get #picture(): HostPicture {
    return this.#parts.picture;
  }

  start(): void {
    this.#stopRequests = this.#parts.onRequests(() => {
      this.#received.ofDetail(null, 'requests');
      this.#parts.soon();
    });
    this.#stopRequests.catch((error: unknown) =>
      this.#parts.log.warn('changes of requests are not received', { cause: messageOf(error) }),
    );
    this.#guard();
  }

  stop(): void {
    this.#cancelSafety?.();
    this.#cancelSafety = undefined;
    this.#directories.close();
    void this.#stopRequests?.then((stop) => stop()).catch(() => {});
    this.#stopRequests = undefined;
  }

  /** After a look at the host: watches what exists now, and looks once more at what changed before it was watched. */
  follow(): void {
    const wanted = hostDirectories(this.#parts);
    if (this.#directories.set(wanted)) this.#picture.readAgents(this.#picture.roster.known.keys());
    const ended = this.#endedNow();
    // It may have ended after its tmux session was listed.
    if (ended.some((each) => !this.#ended.includes(each))) this.#received.ofHost();
    this.#ended = ended;
  }

  #guard(round = 1): void {
    this.#cancelSafety = this.#parts.clock.after(SAFETY_MS, () => {
      const isCovered = this.#directories.covers(hostDirectories(this.#parts).keys());
      if (this.#endedNow().join() !== this.#ended.join() || !isCovered) this.#received.ofHost();
      this.#received.ofAll();
      if (round % ELSEWHERE_EACH === 0) this.#received.ofFleet();
      this.#parts.soon();
      this.#guard(round + 1);
    });
  }

  #endedNow(): string[] {
    const { processes } = this.#picture.roster;
    return processes.filter((each) => !isProcessAlive(each)).map((each) => JSON.stringify(each));
  }
}
