import * as fs from 'node:fs';
import { readJsonIfExists, writeJsonAtomic } from '../base/index.ts';
import type { Baseline } from './prove-submission.ts';

/** How far the lane came with one prompt, kept beside its lock: after a crash this is what the lane still knows. */
export interface LaneAttempt {
  request_id: string;
  /** `before_paste` proves that nothing was typed. */
  step: 'before_paste' | 'pasting' | 'entering';
  baseline: Baseline | null;
}

/** Survives the process, not the machine: when that goes, the terminal goes with it. */
export function keepAttempt(file: string, attempt: LaneAttempt): void {
  writeJsonAtomic(file, attempt, { durable: false });
}

export function forgetAttempt(file: string): void {
  fs.rmSync(file, { force: true });
}

export function readAttempt(file: string, requestId: string): LaneAttempt | undefined {
  try {
    const attempt = readJsonIfExists(file) as LaneAttempt | undefined;
    return attempt?.request_id === requestId ? attempt : undefined;
  } catch {
    return undefined;
  }
}
