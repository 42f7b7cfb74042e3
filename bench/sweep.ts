import { silentLog } from '../src/base/index.ts';
import type { Sql } from '../src/db/index.ts';
import { enqueue, enqueueAll } from '../src/fleet/delivery/index.ts';
import { dueRules } from '../src/fleet/nudge/due.ts';
import { NUDGE_DEFAULTS, nudgeBody, nudgeSweep } from '../src/fleet/nudge/index.ts';
import { pickAgents } from '../src/fleet/nudge/pick-agents.ts';
import { startPostgres } from '../test/support/postgres.ts';
import {
  AGENTS,
  addFinished,
  addOpen,
  ELIGIBLE,
  MALFORMED,
  OPEN_ELSEWHERE,
  openFleet,
  rowsRead,
  type Shape,
} from './support/sweep-data.ts';

interface Cost {
  rows: number;
  ms: number;
}

const ROUNDS = 5;
const sweep = nudgeSweep({ settings: NUDGE_DEFAULTS, enqueueAll, log: silentLog });
const rules = dueRules(NUDGE_DEFAULTS);
const signal = new AbortController().signal;

/**
 * One pass of the nudge sweeper compared with the specified query and loop on the same rows: the rows that each reads and the
 * time it takes, as finished requests grow. `npm run bench -- sweep [finished…]`, by default 10 000, 100 000 and 950 000.
 */
export async function run(print: (line: string) => void, args: string[]): Promise<void> {
  const sizes = args.length > 0 ? args.map(Number) : [10_000, 100_000, 950_000];
  const server = await startPostgres();
  try {
    print(
      `${AGENTS} agents (3000 idle), ${ELIGIBLE} eligible items, ${OPEN_ELSEWHERE} open ones that are not, ${MALFORMED} malformed`,
    );
    print('(the malformed rows are only in ours: the specified query stops at the first of them)');
    for (const shape of ['mixed', 'backlog'] as const)
      await measureShape(await server.createDatabase(), shape, sizes, print);
  } finally {
    await server.stop();
  }
}

async function measureShape(
  url: string,
  shape: Shape,
  sizes: number[],
  print: (line: string) => void,
): Promise<void> {
  const { sql, orgId } = await openFleet(url);
  try {
    print(
      shape === 'mixed'
        ? '\nheld and deliverable items of the same age'
        : '\nheld items older than all deliverable ones',
    );
    print('  finished      choosing 200 agents: rows read, ms              whole pass: rows read, ms');
    await addOpen(sql, orgId, shape);
    const ours: Cost[] = [];
    let finished = 0;
    for (const size of sizes) {
      await addFinished(sql, orgId, finished, size);
      finished = size;
      const cost = {
        ours: { choose: await median(sql, choose), pass: await median(sql, pass) },
        specified: { choose: await median(sql, chooseAsSpecified), pass: await median(sql, passAsSpecified) },
      };
      ours.push(cost.ours.pass);
      print(line(size, 'specified', cost.specified));
      print(line(size, 'ours', cost.ours, cost.specified));
    }
    const [first, last] = [ours[0]!, ours.at(-1)!];
    print(
      `  ours from ${sizes[0]} to ${sizes.at(-1)} finished: ${(last.ms / first.ms).toFixed(2)}x the time, ${(last.rows / first.rows).toFixed(2)}x the rows`,
    );
  } finally {
    await sql.close();
  }
}

/** Every round is rolled back, so each finds the same rows. */
async function median(sql: Sql, work: (sql: Sql) => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await rowsRead(sql);
    let ms = 0;
    await sql
      .transaction(async (tx) => {
        const begun = performance.now();
        await work(tx);
        ms = performance.now() - begun;
        throw UNDO;
      })
      .catch((error) => {
        if (error !== UNDO) throw error;
      });
    costs.push({ rows: (await rowsRead(sql)) - before, ms });
  }
  const middle = (values: number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
  return { rows: middle(costs.map(({ rows }) => rows)), ms: middle(costs.map(({ ms }) => ms)) };
}

const UNDO = new Error('undo');

const choose = async (sql: Sql): Promise<void> => {
  const { agents } = await pickAgents(sql, rules, { limit: NUDGE_DEFAULTS.batchLimit });
  if (agents.length !== 200) throw new Error(`chose ${agents.length} agents`);
};

const pass = async (sql: Sql): Promise<void> => {
  const result = await sweep.run({ sql, dryRun: false, signal });
  if (result.agents_nudged !== 200 || result.errors > 0) throw new Error(`swept ${JSON.stringify(result)}`);
};

const chooseAsSpecified = async (sql: Sql): Promise<{ recipient_id: string; ids: string[] }[]> => {
  const { rows } = await sql.query<{ recipient_id: string; ids: string[] }>(
    `SELECT r.recipient_id, array_agg(r.id::text) AS ids
       FROM specified.requests r JOIN workspaces w ON w.id = r.recipient_id::uuid
      WHERE r.recipient_type = 'agent' AND r.status IN ('pending', 'info_requested')
        AND r.created_at < now() - make_interval(secs => $1)
        AND (r.last_nudged_at IS NULL OR r.last_nudged_at < now() - make_interval(secs => $2))
        AND w.status = 'online' AND COALESCE(w.active_tasks, 0) = 0
      GROUP BY r.recipient_id LIMIT $3`,
    [600, 3600, 200],
  );
  if (rows.length !== 200) throw new Error(`the specified query found ${rows.length} agents`);
  return rows;
};

/** Enqueues, then stamps exactly the ids of the group. It uses our queue, so only the sweep differs. */
const passAsSpecified = async (sql: Sql): Promise<void> => {
  const { rows } = await sql.query<{ id: string }>('SELECT id FROM orgs');
  for (const { recipient_id, ids } of await chooseAsSpecified(sql)) {
    await enqueue(sql, {
      orgId: rows[0]!.id,
      workspaceId: recipient_id,
      priority: 10,
      body: nudgeBody(ids.length),
      method: 'message/send',
      idempotencyKey: `inbox-nudge:${recipient_id}:0`,
    });
    await sql.query('UPDATE specified.requests SET last_nudged_at = now() WHERE id = ANY($1::uuid[])', [ids]);
  }
};

type Costs = { choose: Cost; pass: Cost };

function line(finished: number, name: string, { choose, pass }: Costs, beside?: Costs): string {
  const cost = ({ rows, ms }: Cost, other?: Cost): string =>
    `${String(rows).padStart(9)} ${ms.toFixed(1).padStart(8)} ms${other ? `  (${(other.rows / rows).toFixed(1)}x fewer, ${(other.ms / ms).toFixed(1)}x faster)` : ''}`;
  return `  ${String(finished).padStart(8)}  ${name.padEnd(10)} ${cost(choose, beside?.choose).padEnd(54)} ${cost(pass, beside?.pass)}`;
}
