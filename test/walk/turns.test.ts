import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** A reminder that is due again before each turn ends, with mail and a prompt that want the same agent. */
const world = new TestWorld();
let agent: WorldAgent;
beforeAll(async () => {
  agent = await world.agent('ana', ['--turn', '1s']);
});
afterAll(() => world.close());

const WAIT = { timeout: 60_000, interval: 50 };
const REMINDER = 'once more';
const ASKED = 'asked by a person';

it('one lane takes turns: mail, a queued prompt and the reminder all reach the agent within a few turns', async () => {
  await agent.client.call('notifier.enable', { body: { interval_seconds: 3600 } });
  await agent.client.call('reminders.create', {
    body: {
      reminders: [
        {
          ...{ mode: 'repeat', title: 'again', prompt: REMINDER, ranking: 0 },
          ...{ start_after_seconds: 0.1, interval_seconds: 0.1 },
        },
      ],
    },
  });
  const reminders = (): number => agent.received().filter((text) => text === REMINDER).length;
  await expect.poll(reminders, WAIT).toBeGreaterThanOrEqual(2);
  const before = reminders();
  await agent.client.call('mail.post', { body: { subject: 'work', body_content: 'do it' } });
  await agent.client.call('requests.create', { body: { kind: 'submit_prompt', payload: { prompt: ASKED } } });
  const others = (): string[] => agent.received().filter((text) => text !== REMINDER);
  await expect.poll(() => others().length, WAIT).toBe(2);
  expect(others()).toContain(ASKED);
  expect(reminders() - before).toBeLessThanOrEqual(4);
  const after = reminders();
  await expect.poll(reminders, WAIT).toBeGreaterThan(after);
  expect((await agent.client.status()).last_turn?.source).toBe('reminder');
});
