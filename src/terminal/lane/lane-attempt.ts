import * as fs from 'node:fs';
import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isDiskTrouble, type ProcessIdentity, readJsonIfExists, writeJsonAtomic } from '../../base/index.ts';
import type { AttemptOwner, SettledAttempt } from '../port.ts';
import type { Baseline } from '../proof/prove-submission.ts';

/**
 * How far the lane came with one prompt, kept beside its lock: after a crash this is what is still known, and enough for
 * whoever takes the lane next, whoever began it.
 */
export interface LaneAttempt {
  request_id: string;
  owner: AttemptOwner;
  /** As it is typed. */
  text: string;
  since_utc: string;
  /** `before_paste` proves that nothing was typed, `pasting` does not prove that anything was; `pasted` and `entering` do. */
  step: 'before_paste' | 'pasting' | 'pasted' | 'entering';
  /** The composer was being emptied of it: that the text is gone, or only its beginning is left, is then our own doing. */
  erasing?: boolean;
  /** What the screen showed before the first Enter, or before the paste while there was none. */
  baseline: Baseline | null;
  /** The screen just before what was typed last. */
  screen: string | null;
  /** The process it was typed into. */
  tool: ProcessIdentity | null;
}

/** More of them nobody has asked for. */
const MOST_SETTLED = 50;

/** The lane's notes in its session's run directory. They survive the process, not the machine: then the terminal is gone too. */
export class LaneNotes {
  readonly #attempt: string;
  /** The attempt while it is taken back. By its name, because a full disk refuses a new file and not a rename. */
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

  /** What is in the composer may be ours: it is being typed, or was left there. */
  get isTyped(): boolean {
    return this.#isTyped;
  }

  keep(attempt: LaneAttempt): void {
    this.#isTyped = mayBeTyped(attempt);
    writeJsonAtomic(this.#attempt, attempt, { durable: false });
    fs.rmSync(this.#erasing, { force: true });
  }

  /** Before the first key that takes this text back. A disk that refuses even that leaves a note that claims less. */
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

  /** What is under way, or was left. Undefined when there is nothing, or nothing that can be read. */
  read(): LaneAttempt | undefined {
    const begun = attemptIn(this.#attempt);
    if (begun) return begun;
    const erased = attemptIn(this.#erasing);
    return erased && { ...erased, erasing: true };
  }

  /** What became of attempts that were left, until their owners have been told. */
  settled(): SettledAttempt[] {
    const kept = read(this.#settled);
    return Array.isArray(kept) ? (kept as SettledAttempt[]) : [];
  }

  /** The verdict first, then the attempt goes: killed in between, it is judged again. */
  settle(verdict: SettledAttempt): void {
    const others = this.settled().filter(({ requestId }) => requestId !== verdict.requestId);
    this.#keepSettled([...others, verdict].slice(-MOST_SETTLED));
    this.forget();
  }

  told(requestId: string): void {
    this.#keepSettled(this.settled().filter((each) => each.requestId !== requestId));
  }

  /** A mark is about to be typed into this process, to find its composer. */
  keepTrial(tool: ProcessIdentity): void {
    writeJsonAtomic(this.#trial, tool, { durable: false });
  }

  /** The mark was seen to go, or was never typed. */
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
