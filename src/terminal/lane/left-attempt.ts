import { utcStamp } from '../../base/index.ts';
import type { LaneContext } from '../lane-context.ts';
import type { AttemptOwner, InterruptedDelivery, Recovered } from '../port.ts';
import type { LaneAttempt } from './lane-attempt.ts';
import { preparePrompt } from './prompt/prepare-prompt.ts';
import { recoverPrompt } from './prompt/recover-prompt.ts';

/** How often the screen is checked while an attempt waits to be settled. */
const AGAIN_MS = 500;

/**
 * An attempt in the lane's notes that no one is typing: its process was killed or gave up. The holder of the lane
 * settles it. While the tool does not react, it keeps the gate closed and is tried again when the screen moves.
 */
export class LeftAttempt {
  readonly #context: LaneContext;
  readonly #again: () => void;
  #unwatch: (() => void) | undefined;
  #cancel: (() => void) | undefined;

  /** `again` is called when it may be worth trying to settle the attempt once more. */
  constructor(context: LaneContext, again: () => void) {
    this.#context = context;
    this.#again = again;
  }

  /** The process that typed the noted attempt has given up. */
  leave(): void {
    this.#again();
  }

  /** Returns how this attempt ended. A verdict is kept until its owner has also learned it another way. */
  async recover({ requestId, text, sinceUtc }: InterruptedDelivery): Promise<Recovered> {
    const known = this.#context.notes.settled().find((each) => each.requestId === requestId);
    if (known) return known;
    const attempt = this.#context.notes.read();
    if (attempt?.request_id === requestId) return this.#judge(attempt);
    const prepared = preparePrompt(text, this.#context.tracker.detector.input);
    const sinceMs = Date.parse(sinceUtc);
    return recoverPrompt({ text: prepared.text, sinceMs, attempt: undefined }, this.#context);
  }

  /** Settles the left attempt. Returns its owner if that cannot be done yet. */
  async settle(): Promise<AttemptOwner | undefined> {
    const attempt = this.#context.notes.read();
    const { tracker } = this.#context;
    if (attempt) {
      const { verdict } = await this.#judge(attempt);
      if (verdict === 'unseen') {
        const typed = attempt.step === 'entering' ? 'entered' : 'pasted';
        tracker.noteUnseen({ typed, longMs: this.#context.patience.lostMs });
        this.#watch();
        return attempt.owner;
      }
    }
    this.#stop();
    tracker.noteUnseen(undefined);
    return undefined;
  }

  close(): void {
    this.#stop();
  }

  async #judge(attempt: LaneAttempt): Promise<Recovered> {
    const { clock, log } = this.#context;
    const { request_id: requestId, owner, text, since_utc } = attempt;
    const sinceMs = Date.parse(since_utc);
    const recovered = await recoverPrompt({ text, sinceMs, attempt }, this.#context);
    const { verdict, evidence } = recovered;
    if (verdict === 'unseen') return recovered;
    log.info('left attempt settled', { request: requestId, source: owner.source, verdict });
    this.#context.notes.settle({ requestId, owner, verdict, evidence, atUtc: utcStamp(clock.now()) });
    return recovered;
  }

  /** Tries again on every change, and on a timer once a paste counts as lost. */
  #watch(): void {
    if (this.#unwatch) return;
    const { tracker, clock, patience } = this.#context;
    const soon = (): void => {
      this.#cancel ??= clock.after(AGAIN_MS, () => {
        this.#cancel = undefined;
        this.#again();
      });
    };
    const stopListening = tracker.changed.on(soon);
    let stopWaiting: () => void;
    const wait = (): void => {
      stopWaiting = clock.after(patience.lostMs, () => {
        soon();
        wait();
      });
    };
    wait();
    this.#unwatch = () => {
      stopListening();
      stopWaiting();
    };
  }

  #stop(): void {
    this.#unwatch?.();
    this.#unwatch = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
