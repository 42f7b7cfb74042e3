import { expect } from 'vitest';
import { isProcessAlive } from '../../src/base/index.ts';

/** What became of what was asked for. It is counted before it is judged, so that a run that fails reports true numbers too. */
export class Tally {
  lost = 0;
  doubled = 0;
  ended = 0;

  /** What was accepted is there so often. */
  once(what: string, times: number): void {
    if (times === 0) this.lost++;
    this.atMostOnce(what, times);
    expect([what, times]).toEqual([what, 1]);
  }

  /** What was refused is there so often. */
  atMostOnce(what: string, times: number): void {
    if (times > 1) this.doubled++;
    expect([what, times <= 1]).toEqual([what, true]);
  }

  /** A process that is to outlive it all. */
  lives(what: string, pid: number): void {
    const isAlive = isProcessAlive({ pid, startTicks: null, bootId: null });
    if (!isAlive) this.ended++;
    expect([what, isAlive]).toEqual([what, true]);
  }

  toString(): string {
    return `lost ${this.lost}, doubled ${this.doubled}, ended ${this.ended}`;
  }
}
