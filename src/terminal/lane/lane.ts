import * as path from 'node:path';
import {
  Emitter,
  type FileLock,
  isDiskTrouble,
  isRouseError,
  lockFile,
  messageOf,
  type ProcessIdentity,
} from '../../base/index.ts';
import { type Why, whyText } from '../../domain/index.ts';
import { evidenceAt, heldReason, type LaneContext } from '../lane-context.ts';
import {
  type AttemptOwner,
  type DeliveryResult,
  HeldBack,
  type InterruptedDelivery,
  type KeyDelivery,
  type Leftovers,
  type LeftTurn,
  type PromptDelivery,
  type Recheck,
  type Recovered,
  type SettledAttempt,
  type Typing,
} from '../port.ts';
import { followLeftTurn } from '../watch/follow-left-turn.ts';
import { followTurn } from '../watch/follow-turn.ts';
import type { Snapshot } from '../watch/snapshot.ts';
import { waitUntil } from '../watch/wait-until.ts';
import { calibrateTool, type Trial } from './calibrate-tool.ts';
import { interruptTurn } from './keys/interrupt-turn.ts';
import { resetChat } from './keys/reset-chat.ts';
import { sendKeys } from './keys/send-keys.ts';
import { LaneNotes } from './lane-attempt.ts';
import { LeftAttempt } from './left-attempt.ts';
import { deliverPrompt } from './prompt/deliver-prompt.ts';
import { preparePrompt } from './prompt/prepare-prompt.ts';
import { QueuedKeys } from './queued-keys.ts';

/**
 * The single writer: everything typed into the agent's terminal is typed here, one thing at a time, by the holder of
 * the session's lane lock. An attempt that an earlier holder left is settled before anything else is typed.
 */
export class Lane implements Leftovers {
  readonly settled = new Emitter<void>();
  readonly #context: LaneContext;
  readonly #lockFile: string;
  readonly #left: LeftAttempt;
  #last: Promise<unknown> = Promise.resolve();
  #lastPrompt: string | undefined;
  /** Keys that wait for the prompt that is on the lane. */
  #queuedKeys: QueuedKeys | undefined;
  #unfollow: () => void = () => {};
  #closed = false;

  constructor(lockFile: string, context: Omit<LaneContext, 'notes'>) {
    this.#context = { ...context, notes: new LaneNotes(path.dirname(lockFile)) };
    this.#lockFile = lockFile;
    this.#left = new LeftAttempt(this.#context, () => void this.#settleSoon());
  }

  /** Set if the text in the composer is ours: being typed, or left unproven. */
  get typing(): Typing | undefined {
    if (!this.#context.notes.isTyped) return undefined;
    return this.#queuedKeys ? 'now' : 'left';
  }

  deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    const mode = prompt.chatSession?.mode;
    if (mode !== undefined && mode !== 'new' && mode !== 'auto')
      return Promise.resolve(refusal('refused', `a TUI agent takes no chat_session.mode "${mode}"`));
    if (mode === 'new' && this.#context.owner)
      return Promise.resolve(
        refusal(
          'refused',
          `${this.#context.owner.name} owns this terminal: begin a new chat there, with a prompt of its own`,
        ),
      );
    if (prompt.execution?.model)
      return Promise.resolve(refusal('refused', 'a TUI agent takes no model override'));
    return this.#alone(async () => {
      if (!prompt.resume) {
        const held = heldReason(this.#context, prompt);
        if (held !== undefined) return refusal('not_ready', held);
        if (await this.#settleLeft()) return this.#closedGate();
        const reset = mode === 'new' ? await resetChat(this.#context) : undefined;
        if (reset) return reset;
      }
      const result = await this.#put(prompt);
      if (result.outcome === 'submitted') {
        this.#unfollow();
        if (result.evidence.at(-1)?.source === 'command') return result;
        this.#unfollow = followTurn(prompt, this.#context);
      }
      return result;
    });
  }

  /** Runs in its turn, or earlier if the prompt before it only waits for its proof. */
  interrupt(pressing: () => Recheck = () => ({ go: true })): Promise<DeliveryResult> {
    let pressed: Promise<DeliveryResult> | undefined;
    const press = (entered?: string): Promise<DeliveryResult> => {
      const mayBegin = entered !== undefined;
      const lastPrompt = entered ?? this.#lastPrompt;
      pressed ??= interruptTurn({ lastPrompt, mayBegin, pressing }, this.#context);
      return pressed;
    };
    return new Promise((resolve, reject) => {
      this.#alone(() => press()).then(resolve, reject);
      // An error comes up again, and is reported, when its turn comes.
      this.#queuedKeys?.ask((entered) => press(entered).then(resolve, () => {}));
    });
  }

  /** Runs in their turn, or earlier if the tool does not react to the prompt before them. */
  sendKeys(keys: KeyDelivery): Promise<DeliveryResult> {
    let pressed: Promise<DeliveryResult> | undefined;
    const press = (): Promise<DeliveryResult> => {
      pressed ??= sendKeys(keys, this.#context);
      return pressed;
    };
    return new Promise((resolve, reject) => {
      this.#alone(press).then(resolve, reject);
      this.#queuedKeys?.askKeys(() => press().then(resolve, () => {}));
    });
  }

  /** Returns why the tool's composer was not found, if it was not, and whether a mark was typed to find it. */
  async calibrate(): Promise<{ because: string | undefined; typed: boolean }> {
    let typed = false;
    const { outcome, reasons } = await this.#alone(async () => {
      const trial = await this.#tryMark();
      if (trial instanceof HeldBack) return refusal('refused', trial.reason);
      typed = trial.typed;
      if (!trial.ok) return refusal('refused', trial.because);
      this.#context.tracker.learn(trial.detector);
      return NOTHING_DONE;
    });
    return { because: outcome === 'submitted' ? undefined : (whyText(reasons, '; ') ?? ''), typed };
  }

  async #tryMark(): Promise<Trial | HeldBack> {
    const { hold } = this.#context;
    const trying = () => calibrateTool(this.#context);
    return hold ? hold.unlessHeld(trying) : trying();
  }

  /** Whether a mark of an earlier trial may still be in this process's composer. */
  hasTrial(tool: ProcessIdentity): boolean {
    return this.#context.notes.hasTrial(tool);
  }

  followLeft(turn: LeftTurn): boolean {
    const { text } = preparePrompt(turn.text, this.#context.tracker.detector.input);
    const unfollow = followLeftTurn({ ...turn, text }, this.#context);
    this.#unfollow = unfollow ?? this.#unfollow;
    return unfollow !== undefined;
  }

  async recover(interrupted: InterruptedDelivery): Promise<Recovered> {
    const lock = await this.#lock();
    try {
      return await this.#left.recover(interrupted);
    } catch (error) {
      return {
        verdict: 'unknown',
        evidence: [evidenceAt(this.#context.clock, 'lane', { error: messageOf(error) })],
      };
    } finally {
      lock.release();
    }
  }

  async settle(report: (settled: SettledAttempt) => Promise<void> | void): Promise<AttemptOwner | undefined> {
    let open: AttemptOwner | undefined;
    await this.#alone(async () => {
      open = await this.#settleLeft();
      for (const settled of this.#context.notes.settled()) {
        await report(settled);
        this.#context.notes.dropVerdict(settled.requestId);
      }
      return NOTHING_DONE;
    });
    return open;
  }

  /** Waits until the current typing ends. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#left.close();
    this.#unfollow();
    await this.#last;
  }

  async #put(prompt: PromptDelivery): Promise<DeliveryResult> {
    const queuedKeys = new QueuedKeys();
    this.#queuedKeys = queuedKeys;
    const result = await deliverPrompt({
      ...this.#context,
      prompt,
      queuedKeys,
      submitted: (before) => {
        this.#lastPrompt = prompt.text;
        this.#context.tracker.notePrompt(before);
      },
    }).finally(() => {
      this.#queuedKeys = undefined;
    });
    // Unproven text may still be in the composer, or appear there later.
    if (result.outcome === 'unconfirmed') this.#left.leave();
    else if (result.outcome !== 'left') this.#forget();
    return result;
  }

  /** If the disk refuses to remove the note, the delivery still ended as it did; the note is judged again later. */
  #forget(): void {
    try {
      this.#context.notes.forget();
    } catch (error) {
      if (!isDiskTrouble(error)) throw error;
      this.#context.log.warn('the note of a delivery could not be removed', { cause: messageOf(error) });
    }
  }

  #closedGate(): DeliveryResult {
    const { tracker } = this.#context;
    const gate = tracker.gate(tracker.snapshot, 'always');
    return refusal('not_ready', ...(gate.ready ? [] : gate.reasons));
  }

  /** Returns the owner of an attempt that cannot be settled yet; undefined when the lane is free. */
  async #settleLeft(): Promise<AttemptOwner | undefined> {
    const before = this.#context.notes.settled().length;
    const open = await this.#left.settle();
    if (this.#context.notes.settled().length === before) return open;
    this.settled.emit();
    // Erasing moved the screen. If the gate now waits for a still screen, that is the only reason.
    const { tracker, patience } = this.#context;
    const rested = (snapshot: Snapshot): true | undefined =>
      tracker.gate(snapshot, 'ready_only').ready || undefined;
    await waitUntil(this.#context, rested, patience.clearMs);
    return open;
  }

  async #settleSoon(): Promise<void> {
    await this.#alone(async () => {
      await this.#settleLeft();
      return NOTHING_DONE;
    });
  }

  #alone(work: () => Promise<DeliveryResult>): Promise<DeliveryResult> {
    const run = this.#last.then(async (): Promise<DeliveryResult> => {
      if (this.#closed) return refusal('cancelled', 'the surface is closing');
      let lock: FileLock;
      try {
        lock = await this.#lock();
      } catch (error) {
        return refusal('not_ready', `another process is typing: ${messageOf(error)}`);
      }
      try {
        return await work();
      } catch (error) {
        if (isRouseError(error) && error.code === 'invalid') throw error;
        return { outcome: 'failed', reasons: [messageOf(error)], evidence: [], untouched: false };
      } finally {
        lock.release();
      }
    });
    this.#last = run.catch(() => {});
    return run;
  }

  #lock(): Promise<FileLock> {
    return lockFile(this.#lockFile, { timeoutMs: this.#context.patience.lockMs, clock: this.#context.clock });
  }
}

const NOTHING_DONE: DeliveryResult = { outcome: 'submitted', reasons: [], evidence: [], untouched: true };

function refusal(outcome: 'refused' | 'not_ready' | 'cancelled', ...reasons: Why[]): DeliveryResult {
  return { outcome, reasons, evidence: [], untouched: true };
}
