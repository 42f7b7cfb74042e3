import { pathToFileURL } from 'node:url';
import { type Task, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { foreignModule } from '../../scripts/foreign-tools.mjs';
import { a2aClient, Gateway, textMessage } from '../fleet/a2a-support.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';
import { proofReport } from '../support/proof-report.ts';

const {
  TASK_STATE_SUBMITTED: SUBMITTED,
  TASK_STATE_WORKING: WORKING,
  TASK_STATE_COMPLETED: COMPLETED,
  TASK_STATE_CANCELED: CANCELED,
} = TaskState;

const VERSIONS = ['1.0', '0.3'] as const;
const [NOT_FOUND, NOT_CANCELABLE, NO_PUSH] = [-32001, -32002, -32003];

let fleet: TestFleet;
let sdk: typeof import('@a2a-js/sdk/client');
let passed = 0;
beforeAll(async () => {
  fleet = await startFleet();
  sdk = await import(pathToFileURL(foreignModule('a2a', 'dist/client/index.js')).href);
});
afterAll(async () => {
  proofReport(`A2A: ${passed} of 28 calls of the client of @a2a-js/sdk`);
  await fleet.stop();
});

describe.each(VERSIONS)('the client of @a2a-js/sdk, speaking %s', (version) => {
  let client: Client;
  let gateway: Gateway;
  let made = 0;
  beforeEach(async () => {
    const agent = await fleet.agent(`coder-${version}-${made++}`);
    gateway = new Gateway(fleet.sql, agent);
    client = await a2aClient(`${fleet.url}/a2a/${agent.workspaceId}`, fleet.tokens.user, { version, sdk });
  });

  const ask = (id: string, historyLength?: number) => ({ id, tenant: '', historyLength });
  const send = async (text: string): Promise<Task> => (await client.sendMessage(textMessage(text))) as Task;
  const stateOf = (task: object) => (task as Task).status?.state;
  const cancel = (id: string) => client.cancelTask({ id, tenant: '', metadata: undefined });
  /** The agent's gateway takes the queued message, and its turn ends. */
  const finish = async (): Promise<void> => {
    await expect
      .poll(async () => {
        const [leased] = await gateway.take();
        if (!leased) return false;
        await gateway.accept(leased);
        await gateway.tell(leased, 'submitted');
        return true;
      })
      .toBe(true);
  };
  const refused = (code: number) => expect.objectContaining({ envelopeCode: code });
  const states = async (
    events: AsyncIterable<{ payload?: { $case: string; value: unknown } | undefined }>,
  ) => {
    const seen: unknown[] = [];
    for await (const { payload } of events) {
      if (payload?.$case !== 'task' && payload?.$case !== 'statusUpdate') continue;
      seen.push(stateOf(payload.value as Task));
      if (seen.length === 1) await finish();
    }
    return seen;
  };

  const CALLS: Record<string, () => Promise<void>> = {
    'finds the card, and in it the endpoint of its version': async () => {
      const card = await client.getAgentCard();
      expect(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toContain(version);
    },
    'sends a message and gets its task at once': async () => {
      expect(stateOf(await send('x'))).toBe(SUBMITTED);
    },
    'sends a message and waits for its end': async () => {
      const answer = client.sendMessage(textMessage('x', { returnImmediately: false }));
      await finish();
      expect(stateOf(await answer)).toBe(COMPLETED);
    },
    'sends the same message again and gets the same task': async () => {
      const message = textMessage('x');
      const ids = [await client.sendMessage(message), await client.sendMessage(message)].map(
        (t) => (t as Task).id,
      );
      expect(new Set(ids).size).toBe(1);
    },
    'sends a message and follows its task to the end': async () => {
      const seen = await states(client.sendMessageStream(textMessage('x')));
      expect([seen[0], seen.at(-1)]).toEqual([SUBMITTED, COMPLETED]);
    },
    'follows a task it sent before': async () => {
      const { id } = await send('x');
      const seen = await states(client.resubscribeTask({ id, tenant: '' }));
      expect([seen[0], seen.at(-1)]).toEqual([SUBMITTED, COMPLETED]);
    },
    'asks for a task until it has ended': async () => {
      const { id } = await send('x');
      const [leased] = await gateway.take();
      await gateway.accept(leased!);
      expect(stateOf(await client.getTask(ask(id)))).toBe(WORKING);
      await gateway.tell(leased!, 'submitted');
      expect(stateOf(await client.getTask(ask(id)))).toBe(COMPLETED);
    },
    'asks for a task with its history, and without': async () => {
      const { id } = await send('the words');
      const [all, none] = [await client.getTask(ask(id, 5)), await client.getTask(ask(id, 0))];
      expect(all.history[0]?.parts[0]?.content).toEqual({ $case: 'text', value: 'the words' });
      expect(none.history).toEqual([]);
    },
    'gets an error for a task that does not exist': async () => {
      await expect(client.getTask(ask('nonsense'))).rejects.toEqual(refused(NOT_FOUND));
    },
    'takes a message back': async () => {
      expect(stateOf(await cancel((await send('x')).id))).toBe(CANCELED);
      expect(await gateway.take()).toEqual([]);
    },
    'takes a message back twice': async () => {
      const { id } = await send('x');
      await cancel(id);
      expect(stateOf(await cancel(id))).toBe(CANCELED);
    },
    'gets an error when it cancels a task that has ended': async () => {
      const { id } = await send('x');
      await finish();
      await expect(cancel(id)).rejects.toEqual(refused(NOT_CANCELABLE));
    },
    'gets an error when it cancels a task that does not exist': async () => {
      await expect(cancel('nonsense')).rejects.toEqual(refused(NOT_FOUND));
    },
    'gets an error when it asks for push notifications': async () => {
      const message = textMessage('x');
      const url = 'http://127.0.0.1/';
      const config = { tenant: '', id: 'c', taskId: '', url, token: '', authentication: undefined };
      message.configuration!.taskPushNotificationConfig = config;
      await expect(client.sendMessage(message)).rejects.toEqual(refused(NO_PUSH));
    },
  };

  it.each(Object.keys(CALLS))('%s', async (name) => {
    await CALLS[name]!();
    passed++;
  });
});
