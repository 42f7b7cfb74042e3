import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRouseError } from '../../src/base/index.ts';
import { proofReport } from '../support/proof-report.ts';
import { FULL } from '../support/sample.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { Tally } from './tally.ts';

/**
 * The disk refuses writes of a gateway: all for a while, and each one once during a request. Accepted requests are typed once,
 * refused ones are never doubled, the process survives, its health reports it, and it recovers by itself.
 */
const FAULTS = ['ENOSPC', 'EMFILE', 'EROFS', 'EIO'] as const;
const WAIT = { timeout: 60_000, interval: 50 };

let world: TestWorld;
let agent: WorldAgent;
let control: string;
let number = 0;
let refused = 0;
const tally = new Tally();

beforeAll(async () => {
  world = new TestWorld();
  control = path.join(world.directory, 'faults');
  fs.writeFileSync(control, '');
  fs.writeFileSync(`${control}.hits`, '');
  world.faultsFile = control;
  agent = await world.agent('ana', ['--turn', '20ms']);
});
afterAll(async () => {
  fs.writeFileSync(control, '');
  try {
    tally.lives('the gateway', agent.pid);
  } finally {
    proofReport(`the gateway: ${hits().length} writes refused, ${refused} requests refused; ${tally}`);
    await world.close();
  }
});

const set = (fault: string): void => fs.writeFileSync(control, fault);
const hits = (): string[] => fs.readFileSync(`${control}.hits`, 'utf8').split('\n').filter(Boolean);
const health = () => agent.client.health();
const times = (prompt: string): number => agent.received().filter((each) => each === prompt).length;

/** Returns the id, or undefined if it was refused. */
async function ask(prompt: string): Promise<string | undefined> {
  try {
    return (
      await agent.client.call('requests.create', {
        body: {
          schema_version: 1,
          kind: 'submit_prompt',
          payload: { prompt },
        },
      })
    ).request_id;
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'unavailable') throw error;
    refused++;
    return undefined;
  }
}

async function arrivesOnce(id: string, prompt: string): Promise<void> {
  await expect
    .poll(async () => ({ prompt, hits: hits().slice(-3), ...(await agent.client.getRequest(id)) }), WAIT)
    .toMatchObject({ state: 'completed' });
  tally.once(prompt, times(prompt));
}

describe.each(FAULTS)('%s', (fault) => {
  it('a gateway that fails at every write for a while loses and doubles nothing, reports it in its health, and recovers', async () => {
    const round = `${fault} ${++number}`;
    const before = `${round} before`;
    const kept = await ask(before);
    set(fault);
    const during = await Promise.all([1, 2, 3].map((n) => ask(`${round} during ${n}`)));
    await agent.control.send('open-dialog');
    await expect.poll(health, WAIT).toMatchObject({ status: 'degraded', pid: agent.pid });
    expect((await health()).reasons).not.toEqual([]);
    await agent.control.send('close-dialog');
    set('');
    await arrivesOnce(kept!, before);
    const after = `${round} after`;
    const id = await ask(after);
    await arrivesOnce(id!, after);
    for (const [n, accepted] of during.entries()) {
      const prompt = `${round} during ${n + 1}`;
      if (accepted) await arrivesOnce(accepted, prompt);
      else tally.atMostOnce(prompt, times(prompt));
    }
    await expect.poll(health, WAIT).toMatchObject({ status: 'ok', pid: agent.pid });
  });

  it.runIf(FULL || fault === 'ENOSPC').each([
    ['before the paste', 1, 'openSync .lane-attempt'],
    ['at the paste', 2, 'openSync .lane-attempt'],
    ['after the paste', 3, 'openSync .lane-attempt'],
    ['before Enter', 4, 'openSync .lane-attempt'],
    ['when it is begun, by the sync', 2, 'fdatasync'],
    ['when it is typed, by the sync', 3, 'fdatasync'],
  ])('a request whose record cannot be written %s is typed once', async (_, nth, word) => {
    // A late write of the previous request counts too; then another write is refused, and the request is repeated.
    for (let tries = 1; ; tries++) {
      const prompt = `${fault} ${++number}`;
      const before = hits().length;
      set(`${fault} ${nth} ${word}\n${prompt}`);
      const id = await ask(prompt);
      if (id) await arrivesOnce(id, prompt);
      set('');
      if (!id) tally.atMostOnce(prompt, times(prompt));
      if (id && hits().length === before + 1) return;
      expect([tries, hits().slice(before)]).toEqual([
        tries,
        tries < 10 ? expect.anything() : 'the write meant',
      ]);
    }
  });

  // Each write for two of the four reasons: even ones for one half of the reasons, odd ones for the other.
  it.runIf(FULL)(
    'a gateway that fails at one write on the way of a request, each in turn, types it once',
    async () => {
      for (let nth = 1 + (FAULTS.indexOf(fault) % 2); nth <= 40; nth += 2) {
        const before = hits().length;
        const prompt = `${fault} ${++number}`;
        set(`${fault} ${nth}`);
        const id = await ask(prompt);
        if (id) await arrivesOnce(id, prompt);
        set('');
        if (!id) tally.atMostOnce(prompt, times(prompt));
        expect((await health()).pid).toBe(agent.pid);
        if (hits().length === before) break;
      }
    },
  );
});
