import { type Clock, isProcessAlive, type Log, messageOf } from '../../../base/index.ts';
import { DirectoryWatches } from './directory-watches.ts';
import type { HeardChanges } from './heard-changes.ts';
import { type DirectoryParts, hostDirectories } from './host-directories.ts';
import type { HostPicture } from './host-picture.ts';

/** What is killed changes no file, and some things are told by their age: while somebody looks, this often. */
const SAFETY_MS = 3000;
/** Agents of other hosts change nothing here that is heard: the database is asked for them at each so many of those. */
const ELSEWHERE_EACH = 2;

export interface HostWatchParts extends DirectoryParts {
  clock: Clock;
  log: Log;
  /** Called for each change of a request, until the function it resolves to is called. */
  onRequests: (hear: () => void) => Promise<() => Promise<void>>;
}

/** Listens for whatever may change the picture, between start and stop, and notes it. */
export class HostWatch {
  readonly #on: HostWatchParts;
  readonly #directories = new DirectoryWatches();
  #cancelSafety: (() => void) | undefined;
  #stopRequests: Promise<() => Promise<void>> | undefined;
  #processes = '';

  constructor(parts: HostWatchParts) {
    this.#on = parts;
  }

  get #heard(): HeardChanges {
    return this.#on.heard;
  }

  get #picture(): HostPicture {
    return this.#on.picture;
  }

  start(): void {
    this.#stopRequests = this.#on.onRequests(() => {
      this.#heard.ofDetail(null, 'requests');
      this.#on.soon();
    });
    this.#stopRequests.catch((error: unknown) =>
      this.#on.log.warn('changes of requests are not heard', { cause: messageOf(error) }),
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

  /** After a look at the host: watches what is there now, and looks once more at what changed before it was watched. */
  follow(): void {
    const wanted = hostDirectories(this.#on);
    if (this.#directories.set(wanted)) this.#picture.readAgents(this.#picture.roster.known.keys());
    this.#processes = this.#alive();
  }

  #guard(round = 1): void {
    this.#cancelSafety = this.#on.clock.after(SAFETY_MS, () => {
      const isCovered = this.#directories.covers(hostDirectories(this.#on).keys());
      if (this.#alive() !== this.#processes || !isCovered) this.#heard.ofHost();
      this.#heard.ofAll();
      if (round % ELSEWHERE_EACH === 0) this.#heard.ofFleet();
      this.#on.soon();
      this.#guard(round + 1);
    });
  }

  #alive(): string {
    return this.#picture.roster.processes.map((each) => (isProcessAlive(each) ? '1' : '0')).join('');
  }
}
