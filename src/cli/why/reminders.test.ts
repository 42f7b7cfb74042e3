import { afterEach, describe, expect, it } from 'vitest';
import { type CliAgent, cliAgent } from '../../../test/support/cli-agent.ts';
import { Ending } from '../../base/index.ts';

let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const why = (...words: string[]): string[] => ['why', '--agent-name', 'gpu', ...words];
const BUSY = { ready: false, reasons: ["phase='active'"] };

async function remind(agent: CliAgent, title: string, ...more: string[]): Promise<string> {
  const create = ['agents', 'gateway', 'reminders', 'create', '--agent-name', 'gpu', '--title', title];
  const timing = more.includes('--start-after-seconds') ? [] : ['--start-after-seconds', '0.01'];
  const made = await agent.json([
    ...create,
    ...['--prompt', 'look', '--mode', 'one_off', '--after-all', ...timing, ...more],
  ]);
  return made.reminders[0].reminder_id;
}

describe('why, of reminders', () => {
  it('why shows why each due reminder is not delivered, and which one blocks it', async () => {
    const agent = await cliAgent(ending);
    await agent.attach((surface) => surface.show(BUSY));
    const first = await remind(agent, 'poll the inbox');
    const second = await remind(agent, 'stretch');
    const third = await remind(agent, 'later', '--start-after-seconds', '3600');
    await expect
      .poll(async () => (await agent.rouse(why())).out, { timeout: 5000 })
      .toMatch(
        /\(poll the inbox\) was due .*, not delivered: it is working on a turn \(phase='active'\), since/,
      );
    const { out } = await agent.rouse(why());
    expect(out).toMatch(
      new RegExp(`${second} \\(stretch\\) was due .*, not delivered: behind ${first}, since`),
    );
    expect(out).toMatch(new RegExp(`${third} \\(later\\) is due in `));
    const one = await agent.rouse(why('--reminder-id', second));
    expect(one.out).toMatch(new RegExp(`not delivered: behind ${first}`));
    expect(one.out).toMatch(new RegExp(`Before it: ${first} \\(poll the inbox\\) was due`));
    expect((await agent.json(why('--reminder-id', first))).reminder).toMatchObject({
      delivery_state: 'overdue',
      waiting_reason: "phase='active'",
    });
    expect((await agent.json(why())).reminders).toHaveLength(3);
  });

  it('why shows failed deliveries, also of deleted reminders, and refuses an unknown reminder', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach((surface) => {
      surface.outcomes = ['unconfirmed'];
    });
    const id = await remind(agent, 'poll');
    await expect
      .poll(async () => (await agent.rouse(why())).out, { timeout: 5000 })
      .toMatch(
        new RegExp(
          `${id} \\(poll\\): a delivery ended as unconfirmed: the test requested unconfirmed, at 20`,
        ),
      );
    expect((await agent.rouse(why('--reminder-id', id))).out).toMatch(/ended as unconfirmed/);
    expect(on.surface.submitted).toEqual([]);
    const unknown = await agent.rouse(why('--reminder-id', 'greminder-unknown'));
    expect([unknown.code, unknown.err]).toEqual([3, expect.stringMatching(/has no live reminder/)]);
  });

  it('why names the reminder that the agent works on while mail waits', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    const enable = ['agents', 'gateway', 'mail-notifier', 'enable', '--agent-name', 'gpu'];
    await agent.json([...enable, '--interval-seconds', '600']);
    const id = await remind(agent, 'poll');
    await expect.poll(() => on.surface.submitted.length, { timeout: 5000 }).toBe(1);
    on.surface.show(BUSY);
    await agent.mail('one');
    await expect
      .poll(async () => (await agent.rouse(why())).out, { timeout: 5000 })
      .toMatch(new RegExp(`turn: the agent was last given to reminder ${id}, at 20`));
  });

  it('why shows durable reminders without a gateway', async () => {
    const agent = await cliAgent(ending);
    const on = await agent.attach();
    const later = ['--start-after-seconds', '3600'];
    await remind(agent, 'live only', ...later);
    const kept = await remind(agent, 'kept', ...later, '--durable', '--missed', 'once');
    await on.gateway.stop('test');
    const { out } = await agent.rouse(why());
    expect(out).toMatch(new RegExp(`Durable reminders\\n {2}${kept} \\(kept\\) is kept, due 20`));
    expect(out).not.toMatch(/live only/);
    expect((await agent.rouse(why('--reminder-id', kept))).out).toMatch(/only while a gateway runs/);
  });
});
