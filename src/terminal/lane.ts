import * as path from 'node:path';
import { type FileLock, isRouseError, lockFile, messageOf } from '../base/index.ts';
import { calibrateTool } from './calibrate-tool.ts';
import { deliverPrompt } from './deliver-prompt.ts';
import { followTurn } from './follow-turn.ts';
import { interruptTurn } from './interrupt-turn.ts';
import { forgetAttempt, readAttempt } from './lane-attempt.ts';
import type { LaneContext } from './lane-context.ts';
import { Overtaking } from './overtaking.ts';
import type { DeliveryResult, InterruptedDelivery, KeyDelivery, PromptDelivery, Recovered } from './port.ts';
import { recoverPrompt } from './recover-prompt.ts';
import { resetChat } from './reset-chat.ts';
import { sendKeys } from './send-keys.ts';

/**
 * The single writer: whatever is typed into the agent's terminal is typed here, one thing at a time, by whoever holds
 * the session's lane lock.
 */
export class Lane {
  readonly #on: LaneContext;
  readonly #lockFile: string;
  readonly #attemptFile: string;
  #last: Promise<unknown> = Promise.resolve();
  #lastPrompt: string | undefined;
  /** Of the prompt that is on the lane. */
  #overtaking: Overtaking | undefined;
  #unfollow: () => void = () => {};
  #closed = false;

  constructor(lockFile: string, on: LaneContext) {
    this.#on = on;
    this.#lockFile = lockFile;
    this.#attemptFile = path.join(path.dirname(lockFile), 'lane-attempt.json');
  }

  deliver(prompt: PromptDelivery): Promise<DeliveryResult> {
    const mode = prompt.chatSession?.mode;
    if (mode !== undefined && mode !== 'new' && mode !== 'auto')
      return Promise.resolve(refusal('refused', `a TUI agent takes no chat_session.mode "${mode}"`));
    if (prompt.execution?.model)
      return Promise.resolve(refusal('refused', 'a TUI agent takes no model override'));
    return this.#alone(async () => {
      const reset = mode === 'new' ? await resetChat(this.#on) : undefined;
      if (reset) return reset;
      const overtaking = new Overtaking();
      this.#overtaking = overtaking;
      const result = await deliverPrompt({
        ...this.#on,
        prompt,
        attemptFile: this.#attemptFile,
        overtaking,
        submitted: (before) => {
          this.#lastPrompt = prompt.text;
          this.#on.tracker.notePrompt(before);
        },
      }).finally(() => {
        this.#overtaking = undefined;
      });
      forgetAttempt(this.#attemptFile);
      if (result.outcome === 'submitted') {
        this.#unfollow();
        if (result.evidence.at(-1)?.source === 'command') return result;
        this.#unfollow = followTurn(prompt, this.#on);
      }
      return result;
    });
  }

  /** In its turn, or earlier: while the prompt before it only waits for its proof. */
  interrupt(pressing: () => void = () => {}): Promise<DeliveryResult> {
    let pressed: Promise<DeliveryResult> | undefined;
    const press = (entered?: string): Promise<DeliveryResult> => {
      const mayBegin = entered !== undefined;
      const lastPrompt = entered ?? this.#lastPrompt;
      pressed ??= interruptTurn({ lastPrompt, mayBegin, pressing }, this.#on);
      return pressed;
    };
    return new Promise((resolve, reject) => {
      this.#alone(() => press()).then(resolve, reject);
      // What it throws is met again, and told, when its turn comes.
      this.#overtaking?.ask((entered) => press(entered).then(resolve, () => {}));
    });
  }

  sendKeys(keys: KeyDelivery): Promise<DeliveryResult> {
    return this.#alone(() => sendKeys(keys, this.#on));
  }

  /** Undefined when the tool's composer was found; else why not. */
  async calibrate(): Promise<string | undefined> {
    const { outcome, reasons } = await this.#alone(async () => {
      const learned = await calibrateTool(this.#on);
      if (learned.ok) this.#on.tracker.learn(learned.detector);
      return learned.ok
        ? { outcome: 'submitted', reasons: [], evidence: [], untouched: false }
        : refusal('refused', learned.because);
    });
    return outcome === 'submitted' ? undefined : reasons.join('; ');
  }

  async recover(interrupted: InterruptedDelivery): Promise<Recovered> {
    const attempt = readAttempt(this.#attemptFile, interrupted.requestId);
    const lock = await this.#lock();
    try {
      return await recoverPrompt(interrupted, attempt, this.#on);
    } catch (error) {
      const evidence = {
        source: 'lane',
        atUtc: this.#on.clock.now().toISOString(),
        facts: { error: messageOf(error) },
      };
      return { verdict: 'unknown', evidence: [evidence] };
    } finally {
      lock.release();
    }
  }

  /** Waits for what is being typed. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#unfollow();
    await this.#last;
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
    return lockFile(this.#lockFile, { timeoutMs: this.#on.patience.lockMs, clock: this.#on.clock });
  }
}

function refusal(outcome: 'refused' | 'not_ready' | 'cancelled', reason: string): DeliveryResult {
  return { outcome, reasons: [reason], evidence: [], untouched: true };
}
