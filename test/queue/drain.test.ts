import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GatewayClient } from '../../src/client/index.ts';
import { TestWorld } from '../support/test-world.ts';

/**
 * Two clients post as fast as they get responses while a real gateway runs one process of the scripted headless tool per
 * request. What counts is what the agent itself wrote down.
 */
const EACH = process.env['ROUSE_PROOF'] === 'full' ? Number(process.env['ROUSE_DRAIN_EACH'] ?? 5000) : 12;

let world: TestWorld;
beforeAll(() => {
  world = new TestWorld();
});
afterAll(() => world.close());

describe('two clients at one headless agent', () => {
  it('two clients of one headless agent each keep their order while the queue drains; depth and status are right all the time', {
    timeout: 7_200_000,
  }, async () => {
    const agent = await world.headlessAgent('drain', ['--turn', '0']);
    const posting = Promise.all(['a', 'b'].map((name) => post(agent.client, name)));
    const depths: number[] = [];
    let posted = false;
    void posting.then(() => {
      posted = true;
    });
    let depth = 1;
    while (!posted || depth > 0) {
      depth = (await agent.client.status()).queue_depth;
      depths.push(depth);
      await finishedSoFar(agent.client, depth);
    }
    const answers = (await posting).flat();
    expect(answers).toHaveLength(2 * EACH);
    expect(Math.max(...depths)).toBeLessThanOrEqual(2 * EACH);
    expect(Math.max(...answers.map((answer) => answer.queue_depth))).toBeGreaterThan(1);
    const received = agent.received();
    expect(received).toHaveLength(2 * EACH);
    for (const name of ['a', 'b']) {
      const mine = received.filter((text) => text.startsWith(`${name} `));
      expect(mine).toEqual(Array.from({ length: EACH }, (_, i) => `${name} ${i}`));
    }
    const { requests } = await agent.client.call('requests.list', { limit: 1000 });
    expect(new Set(requests.map((request) => request.outcome))).toEqual(new Set(['submitted']));
  });
});

async function post(client: GatewayClient, name: string) {
  const answers = [];
  for (let i = 0; i < EACH; i++)
    answers.push(
      await client.submitPrompt(
        { prompt: `${name} ${i}`, chat_session: { mode: 'new' } },
        { wait_in_line: true },
      ),
    );
  return answers;
}

/** Waits until the queue is at least one shorter, so that looking does not slow it down. */
async function finishedSoFar(client: GatewayClient, depth: number): Promise<void> {
  if (depth === 0) return;
  const { requests } = await client.call('requests.list', { state: 'running', limit: 1 });
  if (requests[0]) await client.getRequest(requests[0].request_id, true, { timeoutMs: 120_000 });
}
