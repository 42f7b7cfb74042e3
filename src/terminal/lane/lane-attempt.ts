import * as fs from 'node:fs';
import * as path from 'node:path';
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
  /** The composer was being emptied of it: that the text is gone, or only begins there, is then our own doing. */
  erasing?: true;
  /** What was to be seen before the first Enter, or before the paste while there was none. */
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
  readonly #settled: string;

  constructor(directory: string) {
    this.#attempt = path.join(directory, 'lane-attempt.json');
    this.#settled = path.join(directory, 'lane-settled.json');
  }

  keep(attempt: LaneAttempt): void {
    writeJsonAtomic(this.#attempt, attempt, { durable: false });
  }

  /** Before the first key that takes this text back. A disk that refuses the note leaves one that claims less. */
  erasing(text: string): void {
    const attempt = this.read();
    if (attempt?.text !== text || attempt.erasing) return;
    try {
      this.keep({ ...attempt, erasing: true });
    } catch (error) {
      if (!isDiskTrouble(error)) throw error;
    }
  }

  forget(): void {
    fs.rmSync(this.#attempt, { force: true });
  }

  /** What is under way, or was left. Undefined when there is nothing, or nothing that can be read. */
  read(): LaneAttempt | undefined {
    const attempt = read(this.#attempt) as LaneAttempt | undefined;
    return typeof attempt?.request_id === 'string' && typeof attempt.text === 'string' ? attempt : undefined;
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

  #keepSettled(verdicts: SettledAttempt[]): void {
    if (verdicts.length > 0) writeJsonAtomic(this.#settled, verdicts, { durable: false });
    else fs.rmSync(this.#settled, { force: true });
  }
}

function read(file: string): unknown {
  try {
    return readJsonIfExists(file);
  } catch {
    return undefined;
  }
}
