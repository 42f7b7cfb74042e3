import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openMailStore, repairMailStore } from '../../src/mail/index.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** What a running gateway does when the store under it is repaired, moved away or restored. */
const world = new TestWorld();
afterEach(() => world.close());

const WAIT = { timeout: 60_000, interval: 50 };
const root = world.context.settings.mailboxDir;

async function sendFromOutside(agent: WorldAgent, subject: string): Promise<void> {
  const store = openMailStore({ root });
  await store.mailbox(`${agent.name}@houmao.localhost`).post({ subject, body_content: 'do it' });
  await store.close();
}

const errorOf = (agent: WorldAgent) => agent.client.notifier().then(({ last_error }) => last_error);

describe('a running gateway', () => {
  it('a running gateway goes on with the mailbox that is there now, after a repair and after the root was away', async () => {
    const agent = await world.agent('ana', ['--turn', '50ms', '--act-on-mail', '--reply', '']);
    const handled = (times: number) =>
      expect
        .poll(
          async () => [agent.received().length, (await agent.client.call('mail.status', {})).open_count],
          WAIT,
        )
        .toEqual([times, 0]);
    await agent.client.call('notifier.enable', { body: { interval_seconds: 3600 } });
    await sendFromOutside(agent, 'first');
    await handled(1);

    fs.writeFileSync(path.join(root, 'index.sqlite'), 'nonsense'.repeat(999));
    await repairMailStore({ root });
    await sendFromOutside(agent, 'after the repair');
    await handled(2);
    await agent.client.call('mail.post', { body: { subject: 'through the gateway', body_content: 'do it' } });
    await handled(3);

    await agent.client.call('notifier.enable', { body: { interval_seconds: 1 } });
    fs.renameSync(root, `${root}.away`);
    await expect.poll(() => errorOf(agent), WAIT).toMatch(/no mailbox root/);
    const { decisions } = await agent.client.call('notifier.decisions', { limit: 1 });
    expect(decisions[0]).toMatchObject({ outcome: 'poll_error' });
    expect(fs.existsSync(root)).toBe(false);
    fs.cpSync(`${root}.away`, root, { recursive: true });
    await expect.poll(() => errorOf(agent), WAIT).toBeNull();
    await sendFromOutside(agent, 'after the return');
    await handled(4);
  });
});
