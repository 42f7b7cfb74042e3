import { type Clock, identifyProcess, type ProcessIdentity, utcStamp } from '../../base/index.ts';
import type { Standing } from '../../domain/index.ts';
import type { GlanceFile } from '../../wire/index.ts';

export interface GlanceDependencies {
  standing: () => Standing;
  queueDepth: () => number;
  /** What the notifier knows without looking. */
  mail: () => Pick<GlanceFile, 'open_mail' | 'wakes'>;
  clock: Clock;
}

/** What a list of agents shows of this one, and since when it has been so. */
export class Glance {
  readonly #on: GlanceDependencies;
  readonly #self: ProcessIdentity;
  #shown = '';
  #sinceUtc = '';

  constructor(on: GlanceDependencies) {
    this.#on = on;
    this.#self = identifyProcess(process.pid) ?? { pid: process.pid, startTicks: null, bootId: null };
  }

  now(): GlanceFile {
    const { standing, queueDepth, mail, clock } = this.#on;
    const stands = standing();
    const shown = `${stands.state} ${stands.words}`;
    if (shown !== this.#shown) this.#sinceUtc = utcStamp(clock.now());
    this.#shown = shown;
    return {
      schema_version: 1,
      written_by: this.#self,
      standing: stands,
      since_utc: this.#sinceUtc,
      ...mail(),
      queue_depth: queueDepth(),
    };
  }

  /** What is left when nobody watches any more. */
  ended(): GlanceFile {
    return {
      ...this.now(),
      written_by: null,
      standing: { state: 'unknown', words: 'not watched', needs_you: null },
      since_utc: utcStamp(this.#on.clock.now()),
    };
  }
}
