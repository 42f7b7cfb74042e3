import type { Clock, Log } from '../../base/index.ts';
import type { Hold } from '../port.ts';
import type { Snapshot } from '../watch/snapshot.ts';
import type { Tracker } from '../watch/tracker.ts';
import type { Lane } from './lane.ts';

export interface CalibrationOptions {
  tracker: Tracker;
  lane: Lane;
  clock: Clock;
  log: Log;
  /**
   * Whether a person asked for it. If not, the tool's own report or a screen that its other versions show when idle is
   * needed.
   */
  asked: boolean;
  /** Set while a person has paused the agent: then nothing is typed to find its composer. */
  hold?: Hold | undefined;
}

/** The next try starts only after the last mark is seen to be gone. */
const MAX_TRIES = 3;
const BETWEEN_TRIES_MS = 10_000;
/** A still screen sends no event, so it is checked on a timer. */
const LOOK_AGAIN_MS = 500;

/** Calibrates a tool with undescribed screens once it is still, at most a few times per process. */
export class Calibration {
  readonly #options: CalibrationOptions;
  readonly #stops: (() => void)[];
  #instance: number | undefined;
  #refused: string | undefined;
  #tries = 0;
  #notBefore = 0;
  #running = false;
  #cancel: (() => void) | undefined;

  constructor(options: CalibrationOptions) {
    this.#options = options;
    const { tracker, hold } = options;
    this.#stops = [tracker.changed.on((snapshot) => this.#consider(snapshot))];
    if (hold) this.#stops.push(hold.changed.on(() => this.#consider(tracker.snapshot)));
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#cancel?.();
  }

  #consider(snapshot: Snapshot): void {
    const { tracker, lane, clock } = this.#options;
    const { tool } = snapshot.foreground;
    if (!tool || this.#running) return;
    if (tool.pid !== this.#instance) {
      this.#instance = tool.pid;
      this.#tries = 0;
      this.#notBefore = 0;
      this.#refused = undefined;
      tracker.forget();
      tracker.noteTrial(lane.hasTrial(tool));
      this.#later();
      return;
    }
    if (tracker.hasTrial || this.#options.hold?.reason() !== undefined) return;
    if (tracker.recognises(snapshot) || this.#tries >= MAX_TRIES) return;
    if (clock.monotonic() < this.#notBefore || !tracker.stability(snapshot).stable) {
      this.#later();
      return;
    }
    if (!this.#options.asked && !this.#toolSaysIdle() && !tracker.readsAsReady(snapshot)) return;
    void this.#run();
  }

  #later(): void {
    const { tracker, clock } = this.#options;
    this.#cancel?.();
    this.#cancel = clock.after(LOOK_AGAIN_MS, () => this.#consider(tracker.snapshot));
  }

  #toolSaysIdle(): boolean {
    const reports = this.#options.tracker.signals.flatMap((signal) => signal.read());
    return (
      reports.length > 0 &&
      reports.every(({ state, writerAlive }) => state === 'idle' && writerAlive !== false)
    );
  }

  async #run(): Promise<void> {
    const { lane, log, clock } = this.#options;
    this.#running = true;
    const { because, typed } = await lane.calibrate();
    if (typed) this.#tries++;
    this.#notBefore = clock.monotonic() + BETWEEN_TRIES_MS;
    this.#running = false;
    if (because === undefined) log.info('calibrated an unknown tool');
    else if (because !== this.#refused) log.warn('an unknown tool could not be calibrated', { because });
    this.#refused = because;
  }
}
