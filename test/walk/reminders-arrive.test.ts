import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';

/** Reminders through a real gateway, real tmux and the scripted agent. */
const world = new TestWorld();
let agent: WorldAgent;
beforeAll(async () => {
  agent = await world.agent('ana', ['--turn', '50ms']);
});
afterAll(() => world.close());

const WAIT = { timeout: 20_000, interval: 50 };
const SOON = { mode: 'one_off', ranking: 0, start_after_seconds: 0.05 } as const;

async function create(definition: object): Promise<string> {
  const { reminders } = await agent.client.call('reminders.create', {
    body: { reminders: [definition as never] },
  });
  return reminders[0]!.reminder_id;
}
const gone = (id: string) =>
  expect
    .poll(
      () =>
        agent.client.reminders().then(({ reminders }) => reminders.some((each) => each.reminder_id === id)),
      WAIT,
    )
    .toBe(false);

describe('a reminder', () => {
  it('a reminder of a prompt is submitted once and leaves the set', async () => {
    const id = await create({ ...SOON, title: 'look', prompt: 'reminder: look at the inbox' });
    await gone(id);
    expect(agent.received().filter((text) => text === 'reminder: look at the inbox')).toHaveLength(1);
  });

  it.each([
    ['adds one Enter', 'typed one', true],
    ['keeps one Enter of several', 'typed two<[Enter]><[Enter]>', true],
    ['leaves the sequence unchanged on request', 'typed three<[Enter]>', false],
  ])('a reminder of keys %s', async (_name, sequence, ensure_enter) => {
    const text = sequence.replaceAll('<[Enter]>', '');
    await gone(await create({ ...SOON, title: 'keys', send_keys: { sequence, ensure_enter } }));
    await expect.poll(() => agent.received().filter((each) => each === text), WAIT).toHaveLength(1);
  });

  it('a reminder of pure control keys reaches a dialog that a person meant it for', async () => {
    await agent.control.send('open-dialog', { kind: 'permission' });
    await gone(
      await create({ ...SOON, title: 'dismiss', send_keys: { sequence: '<[Escape]>', ensure_enter: false } }),
    );
    await expect
      .poll(() => agent.control.send('status').then((status) => (status as { state: string }).state), WAIT)
      .toBe('ready');
  });

  it('a reminder that is due waits as overdue while the agent is busy, and is delivered afterwards', async () => {
    await agent.control.send('busy', { ms: 2500 });
    await expect.poll(() => agent.client.tuiState().then((state) => state.turn.phase), WAIT).toBe('active');
    const id = await create({ ...SOON, title: 'later', prompt: 'reminder after the turn' });
    await expect
      .poll(
        () => agent.client.call('reminders.get', { reminder_id: id }).then((each) => each.delivery_state),
        WAIT,
      )
      .toBe('overdue');
    expect(agent.received()).not.toContain('reminder after the turn');
    await gone(id);
    expect(agent.received()).toContain('reminder after the turn');
  });

  it('behind a paused leader stays blocked until the leader is re-ranked', async () => {
    const leader = await create({
      ...SOON,
      ranking: -10,
      title: 'leader',
      prompt: 'paused leader',
      paused: true,
    });
    const follower = await create({ ...SOON, ranking: 5, title: 'follower', prompt: 'the follower' });
    expect(await agent.client.call('reminders.get', { reminder_id: follower })).toMatchObject({
      selection_state: 'blocked',
      blocked_by_reminder_id: leader,
    });
    await agent.client.call('reminders.put', {
      reminder_id: leader,
      body: {
        ...SOON,
        ranking: 100,
        title: 'leader',
        prompt: 'paused leader',
        paused: true,
      },
    });
    await gone(follower);
    expect(agent.received()).toContain('the follower');
    expect(agent.received()).not.toContain('paused leader');
    await agent.client.call('reminders.delete', { reminder_id: leader });
  });

  describe('while it is being delivered', () => {
    /** The agent draws late, so that typing and proof take a while; resolves when the delivery has begun. */
    async function executing(definition: object): Promise<string> {
      await agent.control.send('echo-late', { ms: 1500 });
      const id = await create(definition);
      await expect
        .poll(
          () => agent.client.call('reminders.get', { reminder_id: id }).then((each) => each.delivery_state),
          { ...WAIT, interval: 20 },
        )
        .toBe('executing');
      return id;
    }

    it('a reminder that is being delivered cannot be replaced, and shows as blocked and executing once another outranks it', async () => {
      const id = await executing({ ...SOON, title: 'under way', prompt: 'outranked while executing' });
      const body = { ...SOON, title: 'under way', prompt: 'other text' };
      await expect(agent.client.call('reminders.put', { reminder_id: id, body: body })).rejects.toMatchObject(
        { code: 'conflict' },
      );
      const other = await create({
        ...SOON,
        ranking: -50,
        title: 'first',
        prompt: 'never',
        start_after_seconds: 900,
      });
      expect(await agent.client.call('reminders.get', { reminder_id: id })).toMatchObject({
        selection_state: 'blocked',
        delivery_state: 'executing',
        blocked_by_reminder_id: other,
      });
      await gone(id);
      await agent.client.call('reminders.delete', { reminder_id: other });
      await agent.control.send('clear-faults');
      expect(agent.received().filter((text) => text === 'outranked while executing')).toHaveLength(1);
    });

    it('a reminder that is being delivered may be deleted: the delivery is completed, and a repeat does not come again', async () => {
      const text = 'deleted while executing';
      const id = await executing({
        ...SOON,
        mode: 'repeat',
        interval_seconds: 1,
        title: 'again',
        prompt: text,
      });
      expect((await agent.client.call('reminders.delete', { reminder_id: id })).detail).toMatch(/completed/);
      await gone(id);
      await agent.control.send('clear-faults');
      await create({ ...SOON, title: 'after', prompt: 'after the deleted one' }).then(gone);
      expect(agent.received().filter((each) => each === text)).toHaveLength(1);
    });
  });
});
