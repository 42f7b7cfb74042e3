import type { Clock } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { AgentNeed } from '../../domain/index.ts';
import { type RequestQueue, readUndelivered } from '../queue/index.ts';

/** What ended badly longer ago than this is history. */
const RECENT_MS = 24 * 60 * 60_000;

export interface UndeliveredDependencies {
  db: Sqlite;
  queue: Pick<RequestQueue, 'entries'>;
  clock: Clock;
  agentName: string;
}

/** Deliveries of the last day that ended badly; read again only after another one has ended otherwise than submitted. */
export class Undelivered {
  readonly #on: UndeliveredDependencies;
  readonly stop: () => void;
  #known: AgentNeed[] = [];
  #isStale = true;

  constructor(on: UndeliveredDependencies) {
    this.#on = on;
    this.stop = on.queue.entries.on(({ stage, facts }) => {
      if (stage === 'finished' && facts['outcome'] !== 'submitted') this.#isStale = true;
    });
  }

  now(): AgentNeed[] {
    const { db, clock, agentName } = this.#on;
    const since = new Date(clock.now().getTime() - RECENT_MS);
    if (this.#isStale) {
      try {
        this.#known = readUndelivered(db, agentName, since);
        this.#isStale = false;
      } catch {
        // A queue that cannot be read is a trouble of its own, which the standing reports.
      }
    }
    return this.#known.filter(
      ({ since_utc }) => since_utc !== null && Date.parse(since_utc) > since.getTime(),
    );
  }
}
