import { expect } from 'vitest';
import { isProcessAlive } from '../../src/base/index.ts';

/** How the acts ended. Counted before they are judged, so that a failing run reports true numbers too. */
export class Tally {
  lost = 0;
  doubled = 0;
  ended = 0;

  /** Counts how often an accepted act's effect exists. */
  once(what: string, times: number): void {
    if (times === 0) this.lost++;
    this.atMostOnce(what, times);
    expect([what, times]).toEqual([what, 1]);
  }

  /** Counts how often a refused act's effect exists. */
  atMostOnce(what: string, times: number): void {
    if (times > 1) this.doubled++;
    expect([what, times <= 1]).toEqual([what, true]);
  }

  /** A process that must survive all faults. */
  lives(what: string, pid: number): void {
    const isAlive = isProcessAlive({ pid, startTicks: null, bootId: null });
    if (!isAlive) this.ended++;
    expect([what, isAlive]).toEqual([what, true]);
  }

  toString(): string {
    return `lost ${this.lost}, doubled ${this.doubled}, ended ${this.ended}`;
  }
}
