import { utcStamp } from '../../base/index.ts';
import type { LaneContext } from '../lane-context.ts';
import type { AttemptOwner, InterruptedDelivery, Recovered } from '../port.ts';
import type { LaneAttempt } from './lane-attempt.ts';
import { preparePrompt } from './prompt/prepare-prompt.ts';
import { recoverPrompt } from './prompt/recover-prompt.ts';

/** What moves is looked at this often while something is left to be settled. */
const AGAIN_MS = 500;

/**
 * The attempt that stands in the lane's notes without a typist: its process was killed, or has given up. Whoever holds
 * the lane settles it; while the tool does not answer, it keeps the gate closed and is tried again when the screen moves.
 */
export class LeftAttempt {
  readonly #on: LaneContext;
  readonly #again: () => void;
  #unwatch: (() => void) | undefined;
  #cancel: (() => void) | undefined;

  /** `again` is told when it may be worth trying to settle it once more. */
  constructor(on: LaneContext, again: () => void) {
    this.#on = on;
    this.#again = again;
  }

  /** The typist of the attempt that stands in the notes has given up. */
  leave(): void {
    this.#again();
  }

  /** What became of this one. A verdict is kept until its owner was told of it by other ways too. */
  async recover({ requestId, text, sinceUtc }: InterruptedDelivery): Promise<Recovered> {
    const known = this.#on.notes.settled().find((each) => each.requestId === requestId);
    if (known) return known;
    const attempt = this.#on.notes.read();
    if (attempt?.request_id === requestId) return this.#judge(attempt);
    const prepared = preparePrompt(text, this.#on.tracker.detector.input);
    const sinceMs = Date.parse(sinceUtc);
    return recoverPrompt({ text: prepared.text, sinceMs, attempt: undefined }, this.#on);
  }

  /** Settles what was left. Answers with its owner when that cannot be done yet. */
  async settle(): Promise<AttemptOwner | undefined> {
    const attempt = this.#on.notes.read();
    const { tracker } = this.#on;
    if (attempt) {
      const { verdict } = await this.#judge(attempt);
      if (verdict === 'unseen') {
        const typed = attempt.step === 'entering' ? 'entered' : 'pasted';
        tracker.noteUnseen({ typed, longMs: this.#on.patience.lostMs });
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
    const { clock, log } = this.#on;
    const { request_id: requestId, owner, text, since_utc } = attempt;
    const sinceMs = Date.parse(since_utc);
    const recovered = await recoverPrompt({ text, sinceMs, attempt }, this.#on);
    const { verdict, evidence } = recovered;
    if (verdict === 'unseen') return recovered;
    log.info('left attempt settled', { request: requestId, source: owner.source, verdict });
    this.#on.notes.settle({ requestId, owner, verdict, evidence, atUtc: utcStamp(clock.now()) });
    return recovered;
  }

  /** Whatever moves; and again and again after the time in which a paste counts as lost, for what is tried in vain. */
  #watch(): void {
    if (this.#unwatch) return;
    const { tracker, clock, patience } = this.#on;
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
