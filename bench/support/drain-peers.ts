import { Ending } from '../../src/base/index.ts';
import { migrate, openPostgres } from '../../src/db/index.ts';
import { acknowledgeAll, claim, DELIVERY_PRIORITY, enqueue } from '../../src/fleet/delivery/index.ts';
import { ensureOrg, FLEET_MIGRATIONS, registerWorkspace } from '../../src/fleet/index.ts';
import type { Load } from './queue-peers.ts';

/** A queue that is filled and then emptied by workers. */
export interface Drained {
  name: string;
  /** Stores one message; durable when it resolves. */
  put(n: number): Promise<unknown>;
  /** Takes and settles all waiting messages, with this many workers that take up to `batch` at a time. */
  drain(options: { workers: number; batch: number; messages: number }): Promise<void>;
  close(): Promise<void>;
}

/** The number of connections that each may open. */
const POOL = 16;
const BODY = {
  method: 'message/send',
  params: {
    message: {
      role: 'user',
      parts: [{ kind: 'text', text: 'Review the last change and say what is wrong with it.' }],
    },
  },
};

/** Each worker is the gateway of some of the agents, as heartbeats are. */
export async function rouse(url: string, agents = 16): Promise<Drained> {
  const sql = await openPostgres({ url, maxConnections: POOL });
  await migrate(sql, FLEET_MIGRATIONS);
  const { id: orgId } = await ensureOrg(sql, 'bench');
  const targets: string[] = [];
  for (let n = 0; n < agents; n++) {
    const agent = { orgId, agentId: `agent-${n}`, name: `agent-${n}`, sessionId: 'one' };
    targets.push((await registerWorkspace(sql, agent)).workspaceId);
  }
  return {
    name: 'rouse',
    put: (n) =>
      enqueue(sql, {
        orgId,
        workspaceId: targets[n % agents]!,
        priority: DELIVERY_PRIORITY.task,
        method: 'message/send',
        body: BODY,
        idempotencyKey: `bench:${n}`,
      }),
    async drain({ workers, batch }) {
      const lines = [...targets];
      const work = async (): Promise<void> => {
        for (let workspaceId = lines.pop(); workspaceId; workspaceId = lines.pop()) {
          const holder = { workspaceId, sessionId: 'one' };
          for (;;) {
            const leased = await claim(sql, { ...holder, capacity: batch, leaseSeconds: 60 });
            if (leased.length === 0) break;
            await acknowledgeAll(
              sql,
              holder,
              leased.map(({ id, attempt }) => ({
                id,
                attempt,
                result: 'accepted',
                requestId: `gwreq-${id}`,
              })),
            );
          }
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    },
    close: () => sql.close(),
  };
}

export async function graphileWorker(load: Load, url: string): Promise<Drained> {
  const { Logger, makeWorkerUtils, run } = await load('graphile-worker');
  const { default: pg } = await load('pg');
  const pgPool = new pg.Pool({ connectionString: url, max: POOL }).on('error', () => {});
  const logger = new Logger(() => () => {});
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  return {
    name: 'graphile-worker',
    put: (n) => utils.addJob('prompt', BODY, { jobKey: `bench:${n}` }),
    async drain({ workers, messages }) {
      let left = messages;
      const ending = new Ending();
      await new Promise<void>((done, fail) => {
        const prompt = async (): Promise<void> => {
          left -= 1;
          if (left === 0) done();
        };
        const options = { pgPool, logger, concurrency: workers, noHandleSignals: true, pollInterval: 100 };
        run({ ...options, taskList: { prompt } }).then(
          (runner: { stop(): Promise<void> }) => ending.add(() => runner.stop()),
          fail,
        );
      });
      // Stopping waits until the last of them is settled.
      await ending.run();
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}

export async function pgBoss(load: Load, url: string): Promise<Drained> {
  const { default: PgBoss } = await load('pg-boss');
  const boss = new PgBoss({ connectionString: url, max: POOL, supervise: false, schedule: false });
  boss.on('error', () => {});
  await boss.start();
  await boss.createQueue('prompts');
  return {
    name: 'pg-boss',
    put: (n) => boss.send('prompts', BODY, { singletonKey: `bench:${n}` }),
    async drain({ workers, batch }) {
      const work = async (): Promise<void> => {
        for (;;) {
          const jobs: { id: string }[] = await boss.fetch('prompts', { batchSize: batch });
          if (jobs.length === 0) return;
          await boss.complete(
            'prompts',
            jobs.map(({ id }) => id),
          );
        }
      };
      await Promise.all(Array.from({ length: workers }, work));
    },
    close: () => boss.stop({ graceful: false, wait: true, close: true }),
  };
}
