import { TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TurnReport } from '../../src/wire/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { a2aClient, textMessage } from './a2a-support.ts';

/** What an A2A client sees of an agent's turn, reported by heartbeats over HTTP as a gateway reports it. */
let fleet: TestFleet;
let agent: TestAgent;
let client: Client;
let number = 0;
beforeAll(async () => {
  fleet = await startFleet();
});
afterAll(() => fleet.stop());
beforeEach(async () => {
  agent = await fleet.agent(`turner-${++number}`);
  client = await a2aClient(`${fleet.url}/a2a/${agent.workspaceId}`, fleet.tokens.user);
  await beat({});
});

const session = () => `session-of-${agent.agentId}`;
const beat = (more: object) => agent.client.heartbeat({ session_id: session(), active_tasks: 0, ...more });

/** A message that the gateway reported as submitted. */
async function submitted(more: object = { turn_follows: true }): Promise<string> {
  await client.sendMessage(textMessage('please'));
  const [message] = (await beat({})).messages;
  const { id, attempt } = message!;
  await beat({ acks: [{ id, attempt, result: 'accepted', request_id: `gw-${id}` }] });
  await beat({
    outcomes: [{ id, request_id: `gw-${id}`, outcome: 'submitted', at: new Date().toISOString(), ...more }],
  });
  return id;
}

const turn = (id: string, state: TurnReport['state'], more: object = {}) =>
  beat({ turns: [{ id, request_id: `gw-${id}`, state, at: new Date().toISOString(), ...more }] });
const task = (id: string) => client.getTask({ id, historyLength: 0, tenant: '' });
const stateOf = async (id: string) => (await task(id)).status?.state;

describe('a task', () => {
  it('a task works until the turn has ended; then its answer is an artifact, and its metadata says what proves it', async () => {
    const id = await submitted();
    expect(await stateOf(id)).toBe(TaskState.TASK_STATE_WORKING);
    await turn(id, 'finished', { result: 'success', evidence: 'turn', answer: 'It is done.' });
    const done = await task(id);
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(done.metadata).toMatchObject({ turnEnd: 'proven', turnEvidence: 'turn' });
    expect(done.artifacts.map(({ name, parts }) => [name, parts[0]?.content])).toEqual([
      ['answer', { $case: 'text', value: 'It is done.' }],
    ]);
  });

  it.each([
    ['finished', { result: 'interrupted' }, TaskState.TASK_STATE_CANCELED],
    ['finished', { result: 'known_failure' }, TaskState.TASK_STATE_FAILED],
    ['input_required', { detail: "dialog='permission'" }, TaskState.TASK_STATE_INPUT_REQUIRED],
    ['lost', { detail: 'the tool was started again' }, TaskState.TASK_STATE_FAILED],
    ['unproven', {}, TaskState.TASK_STATE_COMPLETED],
    ['working', {}, TaskState.TASK_STATE_WORKING],
  ] as const)('a task whose turn is %s %j is %i', async (state, more, expected) => {
    const id = await submitted();
    await turn(id, state, more);
    const seen = await task(id);
    expect([seen.status?.state, seen.artifacts]).toEqual([expected, []]);
    expect(seen.metadata?.['turnEnd']).toBe(
      { finished: 'proven', unproven: 'unproven' }[state as string] ?? null,
    );
  });

  it('a task of a gateway that never reports turns is completed, unproven', async () => {
    const seen = await task(await submitted({}));
    expect([seen.status?.state, seen.metadata?.['turnEnd']]).toEqual([
      TaskState.TASK_STATE_COMPLETED,
      'unproven',
    ]);
  });

  it('a task that has ended stays so, and no other agent can end it', async () => {
    const id = await submitted();
    const other = await fleet.agent(`other-${number}`);
    await other.client.heartbeat({
      session_id: `session-of-other-${number}`,
      active_tasks: 0,
      turns: [{ id, request_id: `gw-${id}`, state: 'lost', at: new Date().toISOString() }],
    });
    await beat({ turns: [{ id, request_id: 'gw-other', state: 'lost', at: new Date().toISOString() }] });
    expect(await stateOf(id)).toBe(TaskState.TASK_STATE_WORKING);
    await turn(id, 'finished', { result: 'success' });
    await turn(id, 'lost');
    expect(await stateOf(id)).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('a task fails when another session takes the place of the one that had it, or the agent is removed', async () => {
    const replaced = await submitted();
    const again = { agent_id: agent.agentId, name: agent.agentId, session_id: 'new', take_over: true };
    const { auth_token } = await fleet.admin.register(again);
    expect(await stateOf(replaced)).toBe(TaskState.TASK_STATE_FAILED);
    agent = { ...agent, client: fleet.as(auth_token) };
    const { rows } = await fleet.sql.query<{ detail: string }>(
      `SELECT turn ->> 'detail' AS detail FROM a2a_queue WHERE id = $1::uuid`,
      [replaced],
    );
    expect(rows).toEqual([{ detail: 'another session replaced the one that had it' }]);
  });

  it('a task is followed by a stream: working, a dialog, working, the answer, completed', async () => {
    const stream = client.sendMessageStream(textMessage('and then'));
    const seen: string[] = [];
    const reading = (async () => {
      for await (const { payload } of stream) {
        if (payload?.$case === 'task') seen.push(TaskState[payload.value.status!.state]);
        if (payload?.$case === 'statusUpdate') seen.push(TaskState[payload.value.status!.state]);
        if (payload?.$case === 'artifactUpdate') seen.push(payload.value.artifact!.name);
      }
    })();
    await expect.poll(() => seen.length).toBe(1);
    const [message] = (await beat({})).messages;
    const { id, attempt } = message!;
    await beat({ acks: [{ id, attempt, result: 'accepted', request_id: `gw-${id}` }] });
    await expect.poll(() => seen.length).toBe(2);
    await beat({
      outcomes: [
        {
          id,
          request_id: `gw-${id}`,
          outcome: 'submitted',
          at: new Date().toISOString(),
          turn_follows: true,
        },
      ],
    });
    await turn(id, 'input_required');
    await expect.poll(() => seen.length).toBe(3);
    await turn(id, 'working');
    await expect.poll(() => seen.length).toBe(4);
    await turn(id, 'finished', { result: 'success', answer: 'Yes.' });
    await reading;
    expect(seen).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'answer',
      'TASK_STATE_COMPLETED',
    ]);
  });
});
