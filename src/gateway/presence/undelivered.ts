import type { Clock } from '../../base/index.ts';
import type { Sqlite } from '../../db/index.ts';
import type { AgentNeed } from '../../domain/index.ts';
import { outcomeOf, type RequestQueue, readUndelivered } from '../queue/index.ts';

/** Older failures are history. */
const RECENT_MS = 24 * 60 * 60_000;

export interface UndeliveredDependencies {
  db: Sqlite;
  queue: Pick<RequestQueue, 'entries'>;
  clock: Clock;
  agentName: string;
}

/** Deliveries of the last day that ended badly. Read again only after another one ended without being submitted. */
export class Undelivered {
  readonly #deps: UndeliveredDependencies;
  readonly stop: () => void;
  #known: AgentNeed[] = [];
  #isStale = true;

  constructor(deps: UndeliveredDependencies) {
    this.#deps = deps;
    this.stop = deps.queue.entries.on((entry) => {
      if (entry.stage === 'finished' && outcomeOf(entry) !== 'submitted') this.#isStale = true;
    });
  }

  now(): AgentNeed[] {
    const { db, clock, agentName } = this.#deps;
    const since = new Date(clock.now().getTime() - RECENT_MS);
    if (this.#isStale) {
      try {
        this.#known = readUndelivered(db, agentName, since);
        this.#isStale = false;
      } catch {
        // An unreadable queue is a trouble of its own, which the standing reports.
      }
    }
    return this.#known.filter(
      ({ since_utc }) => since_utc !== null && Date.parse(since_utc) > since.getTime(),
    );
  }
}
