import { openSqlite } from '../src/db/index.ts';
import { closedCycle } from '../src/domain/index.ts';
import { INDEX_MIGRATIONS } from '../src/mail/filesystem/root/index-schema.ts';
import { waitGraph } from '../src/mail/filesystem/waits/wait-rows.ts';
import { middle } from './support/median.ts';

/**
 * The cost of one more wait: its row, and the search for a circle that it closes, in an index with more and more waits. Agents
 * wait in teams of ten. Prints the time per wait, and its ratio to that of the smallest index.
 */
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const TEAM = 10;
const TRIES = 2000;
const NOW = '2026-01-01T00:00:00Z';
const ENDS = '2026-02-01T00:00:00Z';

const agent = (n: number): string => `agent-${n}@houmao.localhost`;
let state = 42;
const below = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 4_294_967_296) * limit);
};

export function run(print: (line: string) => void): void {
  let first: number | undefined;
  for (const size of SIZES) {
    const db = openSqlite({ file: ':memory:', migrations: INDEX_MIGRATIONS });
    const teams = Math.max(1, Math.floor(size / (TEAM * 2)));
    const pair = (): [string, string] => {
      const team = below(teams) * TEAM;
      return [agent(team + below(TEAM)), agent(team + below(TEAM))];
    };
    const insert = (seq: number, [waiter, whom]: [string, string]): void =>
      void db.run(
        'INSERT OR IGNORE INTO waits (seq, waiter, whom, by_utc, ends_utc) VALUES (?, ?, ?, NULL, ?)',
        [seq, waiter, whom, ENDS],
      );
    db.transaction(() => {
      for (let seq = 0; seq < size; seq++) insert(seq, pair());
    });
    const times: number[] = [];
    let circles = 0;
    for (let n = 0; n < TRIES; n++) {
      const [waiter, whom] = pair();
      const began = process.hrtime.bigint();
      insert(size + n, [waiter, whom]);
      if (closedCycle({ waiter, whom }, waitGraph(db, NOW))) circles++;
      times.push(Number(process.hrtime.bigint() - began) / 1000);
    }
    const each = middle(times);
    first ??= each;
    print(
      `${size} waits: ${each.toFixed(0)} µs for one more, ${(each / first).toFixed(2)} × the smallest; ${circles} of ${TRIES} closed a circle`,
    );
    db.close();
  }
}
