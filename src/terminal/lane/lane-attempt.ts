import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isDiskTrouble, type ProcessIdentity, readJsonIfExists, writeJsonAtomic } from '../../base/index.ts';
import type { AttemptOwner, SettledAttempt } from '../port.ts';
import type { Baseline } from '../proof/prove-submission.ts';

/**
 * How far the lane got with one prompt, stored beside its lock. After a crash this is all that is known, and enough for
 * the next holder of the lane, even if another process began the prompt.
 */
export interface LaneAttempt {
  request_id: string;
  owner: AttemptOwner;
  /** The text as it is typed. */
  text: string;
  since_utc: string;
  /**
   * `before_paste` proves that nothing was typed; `pasting` proves nothing either way; `pasted` and `entering` prove
   * that it was.
   */
  step: 'before_paste' | 'pasting' | 'pasted' | 'entering';
  /** The text was being erased from the composer: if it is gone, or only its beginning is left, we did that. */
  erasing?: boolean;
  /** The screen before the first Enter, or before the paste if Enter was not pressed yet. */
  baseline: Baseline | null;
  /** The screen just before the last thing that was typed. */
  screen: string | null;
  /** The process it was typed into. */
  tool: ProcessIdentity | null;
}

/** Older verdicts are dropped: no one asked for them. */
const MAX_SETTLED = 50;

/**
 * The lane's notes in the session's run directory. They survive the process but not the machine, and neither does the
 * terminal.
 */
export class LaneNotes {
  readonly #attempt: string;
  /**
   * The attempt while it is being erased. Marked by its file name, because a full disk refuses a new file but not a
   * rename.
   */
  readonly #erasing: string;
  readonly #settled: string;
  readonly #trial: string;
  #isTyped: boolean;

  constructor(directory: string) {
    this.#attempt = path.join(directory, 'lane-attempt.json');
    this.#erasing = path.join(directory, 'lane-erasing.json');
    this.#settled = path.join(directory, 'lane-settled.json');
    this.#trial = path.join(directory, 'lane-trial.json');
    this.#isTyped = mayBeTyped(this.read());
  }

  /** Whether the text in the composer may be ours: being typed, or left there. */
  get isTyped(): boolean {
    return this.#isTyped;
  }

  keep(attempt: LaneAttempt): void {
    this.#isTyped = mayBeTyped(attempt);
    writeJsonAtomic(this.#attempt, attempt, { durable: false });
    fs.rmSync(this.#erasing, { force: true });
  }

  /**
   * Called before the first key that erases this text. If the disk refuses even the rename, the note that stays claims
   * less.
   */
  erasing(text: string): void {
    const attempt = this.read();
    if (attempt?.text !== text || attempt.erasing) return;
    try {
      fs.renameSync(this.#attempt, this.#erasing);
    } catch (error) {
      if (!isDiskTrouble(error)) throw error;
    }
  }

  forget(): void {
    this.#isTyped = false;
    fs.rmSync(this.#erasing, { force: true });
    fs.rmSync(this.#attempt, { force: true });
  }

  /** The attempt under way or left behind; undefined if there is none, or none that can be read. */
  read(): LaneAttempt | undefined {
    const begun = attemptIn(this.#attempt);
    if (begun) return begun;
    const erased = attemptIn(this.#erasing);
    return erased && { ...erased, erasing: true };
  }

  /** How left attempts ended, until their owners know. */
  settled(): SettledAttempt[] {
    const kept = read(this.#settled);
    return Array.isArray(kept) ? (kept as SettledAttempt[]) : [];
  }

  /** Stores the verdict before it removes the attempt: after a kill in between, the attempt is judged again. */
  settle(verdict: SettledAttempt): void {
    const others = this.settled().filter(({ requestId }) => requestId !== verdict.requestId);
    this.#keepSettled([...others, verdict].slice(-MAX_SETTLED));
    this.forget();
  }

  /** Called when its owner knows the verdict, or the request is typed again: a verdict is about one attempt. */
  dropVerdict(requestId: string): void {
    const verdicts = this.settled();
    const others = verdicts.filter((each) => each.requestId !== requestId);
    if (others.length < verdicts.length) this.#keepSettled(others);
  }

  /** Called before a mark is typed into this process to find its composer. */
  keepTrial(tool: ProcessIdentity): void {
    writeJsonAtomic(this.#trial, tool, { durable: false });
  }

  /** Called when the mark is seen to be gone, or was never typed. */
  forgetTrial(): void {
    fs.rmSync(this.#trial, { force: true });
  }

  /** Whether this process may still hold a mark. */
  hasTrial(tool: ProcessIdentity): boolean {
    return isDeepStrictEqual(read(this.#trial), tool);
  }

  #keepSettled(verdicts: SettledAttempt[]): void {
    if (verdicts.length > 0) writeJsonAtomic(this.#settled, verdicts, { durable: false });
    else fs.rmSync(this.#settled, { force: true });
  }
}

const mayBeTyped = (attempt: LaneAttempt | undefined): boolean =>
  attempt !== undefined && attempt.step !== 'before_paste';

function attemptIn(file: string): LaneAttempt | undefined {
  const attempt = read(file) as LaneAttempt | undefined;
  return typeof attempt?.request_id === 'string' && typeof attempt.text === 'string' ? attempt : undefined;
}

function read(file: string): unknown {
  try {
    return readJsonIfExists(file);
  } catch {
    return undefined;
  }
}
