import * as fs from 'node:fs';
import * as path from 'node:path';
import { TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { readTranscript } from '../support/scripted-agent.ts';
import { TestWorld, type WorldAgent } from '../support/test-world.ts';
import { a2aClient, textMessage } from './a2a-support.ts';

const WAIT = { timeout: 60_000, interval: 50 };

/** A real gateway and a scripted agent in tmux behind a fleet server. */
describe('a task that the gateway of its agent already has', () => {
  const world = new TestWorld();
  let fleet: TestFleet;
  let agent: WorldAgent;
  let client: Client;

  beforeAll(async () => {
    fleet = await startFleet();
    const tokenFile = path.join(world.directory, 'token');
    fs.writeFileSync(tokenFile, fleet.tokens.user, { mode: 0o600 });
    world.fleet = { url: fleet.url, tokenFile };
    agent = await world.agent('dan', ['--turn', '50ms']);
    await vi.waitFor(async () => expect((await fleet.user.agent('dan')).state).toBe('idle'), WAIT);
    const { workspace_id } = await fleet.user.agent('dan');
    client = await a2aClient(`${fleet.url}/a2a/${workspace_id}`, fleet.tokens.user);
  });
  afterAll(async () => {
    await world.close();
    await fleet.stop();
  });

  const send = async (text: string) => (await client.sendMessage(textMessage(text))) as { id: string };
  const task = (id: string) => client.getTask({ id, tenant: '', historyLength: 0 });
  const stateOf = async (id: string) => (await task(id)).status?.state;
  const cancel = (id: string) => client.cancelTask({ id, tenant: '', metadata: undefined });
  const turns = (kind: string) => readTranscript(agent.transcript).filter((entry) => entry.type === kind);

  it('a task that the gateway of its agent already has is canceled by interrupting its turn, and what waits behind it is typed', async () => {
    const { id } = await send('[[hang]] the first');
    await expect.poll(() => turns('turn_started').length, WAIT).toBe(1);
    await expect.poll(async () => (await task(id)).metadata?.['outcome'], WAIT).toBe('submitted');
    const behind = await send('the second');
    await cancel(id);
    await expect.poll(() => stateOf(id), WAIT).toBe(TaskState.TASK_STATE_CANCELED);
    await expect.poll(() => stateOf(behind.id), WAIT).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(turns('interrupted')).toHaveLength(1);
    expect((await cancel(id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    await expect(cancel(behind.id)).rejects.toMatchObject({ envelopeCode: -32002 });
  });

  it('a task that the gateway of its agent already has is canceled while a dialog of its turn waits for a person, by the key that closes it', async () => {
    const { id } = await send('[[dialog=permission]] may I');
    await expect.poll(() => stateOf(id), WAIT).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await cancel(id);
    await expect.poll(() => stateOf(id), WAIT).toBe(TaskState.TASK_STATE_CANCELED);
    expect(turns('key_in_dialog')).toMatchObject([{ key: 'escape' }]);
    expect(turns('dialog_answered')).toMatchObject([{ answer: 'no' }]);
    expect((await cancel(id)).status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  });

  it("a task that the gateway of its agent already has is canceled in the gateway's own queue while it waits there, and nothing is interrupted", async () => {
    const before = turns('interrupted').length;
    await agent.control.send('draft', { text: 'a draft of a person' });
    const { id } = await send('never typed');
    await expect.poll(async () => (await task(id)).metadata?.['queueStatus'], WAIT).toBe('completed');
    await cancel(id);
    await expect.poll(() => stateOf(id), WAIT).toBe(TaskState.TASK_STATE_CANCELED);
    await agent.control.send('draft', { text: '' });
    const after = await send('typed');
    await expect.poll(() => stateOf(after.id), WAIT).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(turns('interrupted')).toHaveLength(before);
    expect(agent.received().join('\n')).not.toContain('never typed');
  });
});

describe('an interrupt for the turn of one request', () => {
  it('an interrupt for the turn of one request presses nothing when another turn runs, and says so', async () => {
    const world = new TestWorld();
    try {
      const agent = await world.agent('eve', ['--turn', '50ms']);
      const first = await agent.client.submitPrompt({ prompt: 'done soon' });
      await expect
        .poll(async () => (await agent.client.getRequest(first.request_id)).outcome, WAIT)
        .toBe('submitted');
      await agent.client.submitPrompt({ prompt: '[[hang]] another' });
      const started = () => readTranscript(agent.transcript).filter(({ type }) => type === 'turn_started');
      await expect.poll(() => started().length, WAIT).toBe(2);
      const { request_id } = await agent.client.interruptTurnOf(first.request_id);
      await expect
        .poll(async () => (await agent.client.getRequest(request_id)).outcome, WAIT)
        .toBe('superseded');
      expect(readTranscript(agent.transcript).some(({ type }) => type === 'interrupted')).toBe(false);
      const { request_id: any } = await agent.client.interrupt();
      await expect.poll(async () => (await agent.client.getRequest(any)).outcome, WAIT).toBe('submitted');
    } finally {
      await world.close();
    }
  });
});
