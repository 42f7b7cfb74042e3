import * as fs from 'node:fs';
import {
  asRouseError,
  type Clock,
  messageOf,
  type ProcessIdentity,
  runAsTenant,
  type Tenant,
  utcStamp,
  writeJsonAtomic,
} from '../base/index.ts';
import { gatewayFiles, type HostedView } from '../wire/index.ts';
import type { HostedStart } from './host-journal.ts';

export interface Running {
  port: number;
  stopped: Promise<void>;
  stop(reason: string, options?: { handOver?: boolean }): Promise<void>;
}

/** Starts one gateway inside this process. The gateway has written how its start ended by the time this settles. */
export type StartInside = (start: HostedStart, restarts: number) => Promise<Running>;

export interface Hosting {
  start: StartInside;
  directory: string;
  /** Restarts of the host itself. */
  hostRestarts: number;
  /** The process that restarts the host. */
  keeper: ProcessIdentity | undefined;
  clock: Clock;
  /** Restarts of one gateway allowed within ten minutes, and the first pause. */
  restarts: number;
  firstPauseMs: number;
  /** Called for a gateway that cannot even be ended. */
  beyondHelp: (error: unknown) => void;
}

/** Callbacks in the life of one gateway. */
export interface Watcher {
  /** It is about to be started: if the host ends now, this gateway may be why. */
  taking: () => void;
  /** It has run long enough that its start cannot be why the host ends. */
  settled: () => void;
  gone: () => void;
}

/** How long it has to run to count as settled, in first pauses. */
const SETTLED_PAUSES = 10;
const WITHIN_MS = 600_000;
const MAX_PAUSE_MS = 60_000;
const END_PATIENCE_MS = 20_000;

/** Restarts so far, and the exit code of the last process. */
export interface Before {
  restarts: number;
  exitCode: number | null;
}

/** One gateway in a host. It is started again when it fails, as a keeper does for a gateway with a process of its own. */
export class HostedGateway implements Tenant {
  readonly own = new Map<symbol, unknown>();
  readonly started: HostedStart;
  readonly #hosting: Hosting;
  readonly #watcher: Watcher;
  #unsettle: () => void = () => {};
  #running: Running | undefined;
  #starting: Promise<unknown> = Promise.resolve();
  #state: HostedView['state'] = 'starting';
  #restarts: number;
  #exitCode: number | null;
  #failures: number[] = [];
  #cancel: (() => void) | undefined;
  #asked = false;
  #settling: Promise<void> = Promise.resolve();
  #ending: Promise<void> | undefined;

  constructor(started: HostedStart, on: Hosting, before: Before, watcher: Watcher) {
    this.started = started;
    this.#hosting = on;
    this.#restarts = before.restarts;
    this.#exitCode = before.exitCode;
    this.#watcher = watcher;
    this.#writeRecord('keeping');
  }

  get view(): HostedView {
    const { root } = this.started;
    return { root, state: this.#state, port: this.#running?.port ?? null, restarts: this.#restarts };
  }

  /** Records what one of its listeners or timers threw; the gateway continues. */
  onError = (error: unknown): void => {
    try {
      fs.appendFileSync(this.#files.errors, `gateway: ${messageOf(error)}\n`, { mode: 0o600 });
    } catch {
      // There is no other place to report it.
    }
  };

  /** The first start after an attach fails for good; a gateway that has run before is retried. */
  begin(options: { again: boolean }): Promise<void> {
    this.#state = 'starting';
    this.#watcher.taking();
    const starting = runAsTenant(this, () => this.#hosting.start(this.started, this.#restarts));
    this.#starting = starting.catch(() => {});
    return starting.then(
      (running) => this.#hold(running),
      (error: unknown) => {
        if (!options.again) return this.#end();
        this.onError(asRouseError(error));
        this.#failed();
      },
    );
  }

  /** Waits before the next start, and records that it is suspected of having ended its host. */
  async holdBack(ms: number): Promise<void> {
    this.#state = 'waiting';
    this.#writeRecord('suspect');
    await new Promise<void>((resolve) => {
      const cancel = this.#hosting.clock.after(ms, resolve);
      this.#cancel = () => {
        cancel();
        resolve();
      };
    });
  }

  get isEnding(): boolean {
    return this.#asked;
  }

  /** Resolves when it has settled, failed or ended. */
  async settled(): Promise<void> {
    await this.#settling;
  }

  /** After an uncaught error: what it was doing is given up, and it is started again. */
  async broke(error: unknown): Promise<void> {
    this.onError(error);
    const running = this.#running;
    this.#running = undefined;
    if (!running || this.#asked) return;
    try {
      await this.#within(running.stop('an uncaught error', { handOver: true }));
    } catch (thrown) {
      this.#hosting.beyondHelp(thrown);
    }
    this.#failed();
  }

  end(handOver: boolean, reason: string): Promise<void> {
    this.#asked = true;
    this.#cancel?.();
    this.#ending ??= this.#starting
      .then(() => this.#running?.stop(reason, { handOver }))
      .catch((error: unknown) => this.onError(error))
      .then(() => this.#end());
    return this.#ending;
  }

  #hold(running: Running): void {
    this.#running = running;
    this.#state = 'running';
    this.#writeRecord('keeping');
    this.#settling = new Promise((resolve) => {
      const cancel = this.#hosting.clock.after(SETTLED_PAUSES * this.#hosting.firstPauseMs, () => {
        this.#watcher.settled();
        resolve();
      });
      this.#unsettle = () => {
        cancel();
        resolve();
      };
    });
    // It ends by itself only when its tmux session is gone.
    void running.stopped.then(() => {
      if (this.#running === running && !this.#asked) this.#end();
    });
  }

  #failed(): void {
    this.#unsettle();
    if (this.#asked) return;
    this.#exitCode = 1;
    const now = this.#hosting.clock.monotonic();
    this.#failures = this.#failures.filter((at) => now - at < WITHIN_MS);
    const before = this.#failures.length;
    if (before >= this.#hosting.restarts) {
      this.#state = 'down';
      this.#writeRecord('started_up');
      return;
    }
    this.#failures.push(now);
    this.#restarts++;
    this.#state = 'waiting';
    this.#writeRecord('keeping');
    const pause = Math.min(MAX_PAUSE_MS, this.#hosting.firstPauseMs * 2 ** Math.min(before, 20));
    this.#cancel = this.#hosting.clock.after(pause, () => void this.begin({ again: true }));
  }

  #end(): void {
    this.#running = undefined;
    this.#unsettle();
    fs.rmSync(this.#files.keeper, { force: true });
    this.#watcher.gone();
  }

  async #within(work: Promise<void>): Promise<void> {
    let cancel: () => void = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = this.#hosting.clock.after(END_PATIENCE_MS, () =>
        reject(new Error('the gateway did not end in time')),
      );
    });
    await Promise.race([work, late]).finally(cancel);
  }

  /** Writes what a keeper would write, so that a command can find the host when it wants to end this gateway. */
  #writeRecord(state: 'keeping' | 'suspect' | 'started_up'): void {
    try {
      const { keeper } = this.#hosting;
      fs.mkdirSync(this.#files.run, { recursive: true, mode: 0o700 });
      writeJsonAtomic(
        this.#files.keeper,
        {
          schema_version: 1,
          pid: keeper?.pid,
          pid_start_ticks: keeper?.startTicks,
          boot_id: keeper?.bootId,
          state,
          restarts: this.#restarts,
          exit_code: this.#exitCode,
          since_utc: utcStamp(this.#hosting.clock.now()),
          host_directory: this.#hosting.directory,
          host_restarts: this.#hosting.hostRestarts,
        },
        { durable: false },
      );
    } catch (error) {
      this.onError(error);
    }
  }

  get #files() {
    return gatewayFiles(this.started.root);
  }
}
