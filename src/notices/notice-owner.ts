import {
  type Clock,
  DirectoryWatches,
  ensurePrivateDirectory,
  type Log,
  Loop,
  type NextPass,
} from '../base/index.ts';
import { signalsDirectory } from './look-again.ts';
import type { Seen } from './outbox/need.ts';
import { Outbox } from './outbox/outbox.ts';
import { sendingLoop } from './send-notices.ts';
import { fireWaits, openWaits, type SendMail } from './waits/waits.ts';

/** What an owner watches for needs. */
export interface NeedSource {
  /** Calls back after anything that may have changed what needs a person. */
  start(changed: () => void): void;
  stop(): void | Promise<void>;
  /** What needs a person now. */
  look(): Promise<Seen>;
  /** Sends mail that someone waits for; the same key is the same mail. Absent from an owner that sends none. */
  sendMail?: SendMail;
}

/** Changes come in bursts; one look covers them. */
const SETTLE_MS = 50;

export interface OwnerParts {
  /** Names whose needs these are: `host`, or a server. No need has two owners. */
  owner: string;
  directory: string;
  source: NeedSource;
  clock: Clock;
  log: Log;
}

/**
 * Turns needs into notices for as long as someone subscribes. It sleeps until something changes or a notice is due.
 */
export class NoticeOwner {
  readonly #parts: OwnerParts;
  readonly #outbox: Outbox;
  readonly #watches = new DirectoryWatches();
  readonly #senders = new Map<number, Loop>();
  readonly #needs: Loop;
  #isWatching = false;

  constructor(parts: OwnerParts) {
    this.#parts = parts;
    const { directory, clock, log } = parts;
    this.#outbox = new Outbox({ directory, clock });
    this.#needs = new Loop({
      name: 'needs',
      clock,
      pass: () => this.#pass(),
      onTrouble: (trouble) => {
        if (trouble) log.warn('needs cannot be read', { cause: trouble.message });
      },
    });
  }

  start(): this {
    const { owner, directory } = this.#parts;
    ensurePrivateDirectory(signalsDirectory(directory));
    this.#watches.set(new Map([[signalsDirectory(directory), () => this.#needs.wake()]]));
    this.#outbox.recover(owner);
    this.#needs.start();
    return this;
  }

  /** Looks again now. */
  wake(): void {
    this.#needs.wake();
  }

  /** Whether anyone subscribes or waits, or a notice has still to be ended. */
  get isNeeded(): boolean {
    const { sendMail } = this.#parts.source;
    return (
      this.#outbox.served().length > 0 || (sendMail !== undefined && openWaits(this.#outbox.db).length > 0)
    );
  }

  async stop(): Promise<void> {
    this.#watches.close();
    await this.#needs.stop();
    await Promise.all([...this.#senders.values()].map((each) => each.stop()));
    if (this.#isWatching) await this.#parts.source.stop();
    this.#outbox.close();
  }

  async #pass(): Promise<NextPass> {
    const { owner, source } = this.#parts;
    const served = this.#outbox.served();
    this.#watch(this.isNeeded);
    const seen = this.#isWatching ? await source.look() : undefined;
    if (seen) this.#outbox.record(owner, seen);
    for (const { id } of served) {
      const known = this.#senders.get(id);
      if (known) known.wake();
      else this.#senders.set(id, sendingLoop({ ...this.#parts, outbox: this.#outbox }, id).start());
    }
    if (!seen?.agents || !source.sendMail) return 'idle';
    return fireWaits({ db: this.#outbox.db, clock: this.#parts.clock, send: source.sendMail }, seen.agents);
  }

  #watch(wanted: boolean): void {
    if (wanted === this.#isWatching) return;
    this.#isWatching = wanted;
    if (!wanted) return void this.#parts.source.stop();
    let isSettling = false;
    this.#parts.source.start(() => {
      if (isSettling) return;
      isSettling = true;
      this.#parts.clock.after(SETTLE_MS, () => {
        isSettling = false;
        this.#needs.wake();
      });
    });
  }
}
