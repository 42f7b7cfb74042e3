import type { Clock, Log } from '../../base/index.ts';
import type { Sight } from '../watch/sight.ts';
import type { Tracker } from '../watch/tracker.ts';
import type { Lane } from './lane.ts';

export interface CalibrationOptions {
  tracker: Tracker;
  lane: Lane;
  clock: Clock;
  log: Log;
  /** A person asked for it. Without that it takes the tool's own word, or a screen that its other versions show when idle. */
  asked: boolean;
}

/** Each only after the mark of the one before was seen to go. */
const MOST_TRIES = 3;
const BETWEEN_TRIES_MS = 10_000;
/** A screen that is still tells nothing: that it has become so is looked at by itself. */
const LOOK_AGAIN_MS = 500;

/** Calibrates a tool whose screens nobody has described, once it is still, a few times at most per process. */
export class Calibration {
  readonly #options: CalibrationOptions;
  readonly #stop: () => void;
  #instance: number | undefined;
  #refused: string | undefined;
  #tries = 0;
  #notBefore = 0;
  #running = false;
  #cancel: (() => void) | undefined;

  constructor(options: CalibrationOptions) {
    this.#options = options;
    this.#stop = options.tracker.changed.on((sight) => this.#consider(sight));
  }

  close(): void {
    this.#stop();
    this.#cancel?.();
  }

  #consider(sight: Sight): void {
    const { tracker, lane, clock } = this.#options;
    const { tool } = sight.foreground;
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
    if (tracker.hasTrial) return;
    if (tracker.recognises(sight) || this.#tries >= MOST_TRIES) return;
    if (clock.monotonic() < this.#notBefore || !tracker.stability(sight).stable) {
      this.#later();
      return;
    }
    if (!this.#options.asked && !this.#toolSaysIdle() && !tracker.readsAsReady(sight)) return;
    void this.#run();
  }

  #later(): void {
    const { tracker, clock } = this.#options;
    this.#cancel?.();
    this.#cancel = clock.after(LOOK_AGAIN_MS, () => this.#consider(tracker.sight));
  }

  #toolSaysIdle(): boolean {
    const said = this.#options.tracker.signals.flatMap((signal) => signal.read());
    return said.length > 0 && said.every(({ says, writerAlive }) => says === 'idle' && writerAlive !== false);
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
