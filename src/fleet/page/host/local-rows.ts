import type { PageAgentRow } from '../../../wire/index.ts';
import { localRow, type SeenAgent } from './agent-rows.ts';

interface Made {
  seen: SeenAgent;
  minute: number;
  row: PageAgentRow;
}

/** The rows of this host's agents. Of many agents few change at once: a row of which nothing changed stays the same object. */
export class LocalRows {
  #made = new Map<string, Made>();

  of(agents: readonly SeenAgent[], now: Date): PageAgentRow[] {
    const minute = Math.floor(now.getTime() / 60_000);
    const made = agents.map((seen): [string, Made] => {
      const before = this.#made.get(seen.agent.id);
      const isSame = before?.minute === minute && sameFacts(before.seen, seen);
      return [seen.agent.id, isSame ? before : { seen, minute, row: localRow(seen, now) }];
    });
    this.#made = new Map(made);
    return made.map(([, { row }]) => row);
  }
}

/** What is read again is another object. */
const sameFacts = (a: SeenAgent, b: SeenAgent): boolean =>
  a.agent === b.agent &&
  a.place === b.place &&
  a.activity === b.activity &&
  a.fleet === b.fleet &&
  a.seenAt === b.seenAt;
