import { expect } from 'vitest';
import { GatewayClient } from '../../src/client/index.ts';
import type { CrashWorld } from './crash-world.ts';

const ACCEPT = ['queue.accept.before-commit', 'queue.accept.after-commit'];
const CLAIM = ['queue.claim.before-commit', 'queue.claim.after-commit'];
const FINISH = ['queue.finish.before-commit', 'queue.finish.after-commit'];
const RECORD = ['typing', 'typed', 'submitted'].flatMap((stage) => [
  `queue.record.${stage}.before-commit`,
  `queue.record.${stage}.after-commit`,
]);
const LANE = ['lane.typing', 'lane.pasted', 'lane.typed', 'lane.entered', 'lane.submitted'];

/** Polls the gateway until it says so; concurrent tests cannot use `expect.poll`. */
async function until(says: () => Promise<boolean | undefined>): Promise<void> {
  for (const start = performance.now(); !(await says()); ) {
    if (performance.now() - start > 30_000) throw new Error(`the gateway does not say: ${says}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Types something into the agent through a process that is killed on the way. */
export interface Actor {
  /** Every instant on its way at which it can be killed. */
  points: string[];
  /** Acts, and resolves when the acting process is dead, with the id of its request if it received one. */
  actAndDie(world: CrashWorld, point: string, text: string): Promise<string | undefined>;
  /** Asks again, as a caller without an answer would, and waits for the end. */
  settle?(gateway: GatewayClient, text: string, id: string | undefined): Promise<string>;
}

export function client(port: number): GatewayClient {
  return new GatewayClient({ host: '127.0.0.1', port, timeoutMs: 15_000 });
}

async function readyGateway(world: CrashWorld, point: string) {
  const doomed = await world.attach(point);
  const gateway = client(doomed.port);
  await until(() => gateway.tuiState().then((state) => state.submit_ready));
  return { ...doomed, gateway };
}

const keyed = (prompt: string) =>
  ({
    kind: 'submit_prompt',
    payload: { prompt },
    idempotency_key: `key ${prompt.replaceAll('\n', ' ')}`,
  }) as const;

function reminder(durable: boolean): Actor {
  return {
    points: LANE,
    async actAndDie(world, point, prompt) {
      const doomed = await world.attach(point);
      const due = {
        mode: 'one_off',
        title: 'due',
        ranking: 0,
        start_after_seconds: 0.05,
        paused: false,
      } as const;
      await client(doomed.port).call('reminders.create', {
        body: { reminders: [{ ...due, prompt, ...(durable && { durable, missed: 'skip' }) }] },
      });
      await doomed.died;
      return undefined;
    },
  };
}

export const ACTORS: Record<string, Actor> = {
  'a request': {
    points: [...ACCEPT, ...CLAIM, ...RECORD, ...LANE, ...FINISH],
    async actAndDie(world, point, text) {
      const doomed = await world.attach(point);
      const answer = await client(doomed.port)
        .call('requests.create', { body: keyed(text) })
        .catch(() => undefined);
      await doomed.died;
      return answer?.request_id;
    },
    // The same key must not make a second prompt.
    async settle(gateway, text, id) {
      const known = id ?? (await gateway.call('requests.create', { body: keyed(text) })).request_id;
      const { outcome, error_detail } = await gateway.getRequest(known, true, { timeoutMs: 60_000 });
      expect(['submitted', 'failed', 'unconfirmed'], error_detail ?? '').toContain(outcome);
      return outcome!;
    },
  },
  'a direct prompt through the gateway': {
    points: [...ACCEPT, ...CLAIM, ...RECORD, ...LANE, ...FINISH],
    async actAndDie(world, point, prompt) {
      const doomed = await readyGateway(world, point);
      await doomed.gateway.prompt({ prompt }).catch(() => undefined);
      await doomed.died;
      return undefined;
    },
  },
  'a direct prompt without gateway': {
    points: LANE,
    async actAndDie(world, point, text) {
      const words = ['agents', 'prompt', '--agent-name', 'victim', '--prompt', text];
      expect(await world.rouse(words, { ROUSE_CRASH_AT: point })).toMatchObject({ signal: 'SIGKILL' });
      return undefined;
    },
  },
  'a live reminder': reminder(false),
  'a durable reminder': reminder(true),
  'an interrupt': {
    points: [...ACCEPT, ...CLAIM, 'lane.interrupting', 'lane.interrupted', ...FINISH],
    async actAndDie(world, point) {
      await world.atRest();
      await world.steered((control) => control.send('busy', { ms: 600_000 }));
      const doomed = await world.attach(point);
      const gateway = client(doomed.port);
      await until(() => gateway.tuiState().then((state) => state.turn.phase === 'active'));
      const answer = await gateway
        .call('requests.create', { body: { kind: 'interrupt', payload: {} } })
        .catch(() => undefined);
      await doomed.died;
      return answer?.request_id;
    },
    // Whether its keys were pressed may be unknown; another one ends the turn in any case.
    async settle(gateway, _text, id) {
      const first = id && (await gateway.getRequest(id, true, { timeoutMs: 60_000 })).outcome;
      const again = await gateway.call('requests.create', { body: { kind: 'interrupt', payload: {} } });
      const { outcome } = await gateway.getRequest(again.request_id, true, { timeoutMs: 60_000 });
      // The first one may have waited until now; then both are one press.
      expect(['submitted', 'coalesced']).toContain(outcome);
      return first ?? 'never accepted';
    },
  },
};
