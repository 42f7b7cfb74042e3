import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sleep, systemClock } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import type { WorkspaceStatus } from '../../src/domain/index.ts';
import { enqueue, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import type { HeartbeatAnswer, HeartbeatInput } from '../../src/wire/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';

describe.each(['postgres', 'embedded'] as const)('heartbeats on %s', (on) => {
  let fleet: TestFleet;
  let sql: Sql;
  beforeAll(async () => {
    fleet = await startFleet({ on });
    sql = fleet.sql;
  });
  afterAll(() => fleet.stop());

  let agents = 0;
  const newAgent = (): Promise<TestAgent> => fleet.agent(`agent-${++agents}`);
  const beat = (agent: TestAgent, more: Partial<HeartbeatInput> = {}): Promise<HeartbeatAnswer> =>
    agent.client.heartbeat(
      { session_id: `session-of-${agent.agentId}`, active_tasks: 0, ...more },
      { timeoutMs: 40_000 },
    );
  const statusOf = async ({ workspaceId }: TestAgent): Promise<WorkspaceStatus> =>
    (await fleet.admin.agent(workspaceId)).status;
  const send = (agent: TestAgent, text: string, key?: string) =>
    enqueue(sql, {
      orgId: fleet.orgId,
      workspaceId: agent.workspaceId,
      priority: 50,
      method: 'message/send',
      body: { params: { message: { parts: [{ kind: 'text', text }] } } },
      ...(key !== undefined && { idempotencyKey: key }),
    });
  const set = (agent: TestAgent, status: WorkspaceStatus) =>
    sql.query('UPDATE workspaces SET status = $2 WHERE id = $1::uuid', [agent.workspaceId, status]);

  it.each<[WorkspaceStatus, Partial<HeartbeatInput>, WorkspaceStatus]>([
    ['provisioning', {}, 'online'],
    ['offline', {}, 'online'],
    ['failed', {}, 'online'],
    ['awaiting_agent', {}, 'online'],
    ['online', { error_rate: 0.5 }, 'degraded'],
    ['online', { runtime_state: 'wedged' }, 'degraded'],
    ['online', { error_rate: 0.49 }, 'online'],
    ['degraded', { error_rate: 0.1 }, 'degraded'],
    ['degraded', { error_rate: 0.09, runtime_state: 'wedged' }, 'degraded'],
    ['degraded', { error_rate: 0.09 }, 'online'],
    ['paused', {}, 'paused'],
    ['hibernated', {}, 'hibernated'],
    ['hibernating', { error_rate: 1 }, 'hibernating'],
    ['online', { leaving: true }, 'offline'],
    ['degraded', { leaving: true }, 'offline'],
    ['paused', { leaving: true }, 'paused'],
  ])('a beat finds an agent %s, says %j, and leaves it %s', async (before, said, after) => {
    const agent = await newAgent();
    await set(agent, before);
    expect((await beat(agent, said)).workspace_status).toBe(after);
    expect(await statusOf(agent)).toBe(after);
  });

  it('many beats at once get no more than the agent has room for, each message one of them', async () => {
    const agent = await newAgent();
    await sql.query('UPDATE workspaces SET max_concurrent_tasks = 3 WHERE id = $1::uuid', [
      agent.workspaceId,
    ]);
    await beat(agent);
    for (let n = 0; n < 8; n++) await send(agent, `message ${n}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => beat(agent)));
    const given = answers.flatMap(({ messages }) => messages.map(({ id }) => id));
    expect([given.length, new Set(given).size]).toEqual([3, 3]);
  });

  it('a beat hands out what waits, and the next one takes the acknowledgement', async () => {
    const agent = await newAgent();
    const { id } = await send(agent, 'hello');
    const { messages, next_heartbeat_seconds } = await beat(agent);
    expect(messages).toMatchObject([{ id, attempt: 1, method: 'message/send' }]);
    expect(next_heartbeat_seconds).toBe(0);
    expect((await beat(agent)).messages).toEqual([]);
    const acks = [{ id, attempt: 1, result: 'accepted' as const, request_id: 'gwreq-1' }];
    await beat(agent, { acks });
    const at = new Date().toISOString();
    await beat(agent, { acks, outcomes: [{ id, request_id: 'gwreq-1', outcome: 'submitted', at }] });
    const { rows } = await sql.query(
      'SELECT status, gateway_request_id, outcome FROM a2a_queue WHERE id = $1::uuid',
      [id],
    );
    expect(rows).toEqual([{ status: 'completed', gateway_request_id: 'gwreq-1', outcome: 'submitted' }]);
  });

  it('a beat gets no more than there is room for: capacity less tasks less what is given out', async () => {
    const agent = await newAgent();
    await sql.query('UPDATE workspaces SET max_concurrent_tasks = 3 WHERE id = $1::uuid', [
      agent.workspaceId,
    ]);
    for (const text of ['1', '2', '3', '4']) await send(agent, text);
    expect((await beat(agent, { active_tasks: 3 })).messages).toHaveLength(0);
    expect((await beat(agent, { active_tasks: 1 })).messages).toHaveLength(2);
    expect((await beat(agent, { active_tasks: 1 })).messages).toHaveLength(0);
    expect((await beat(agent, { active_tasks: 0 })).messages).toHaveLength(1);
    expect((await beat(agent, { active_tasks: 0, accepting: false })).messages).toHaveLength(0);
  });

  it('a beat of a paused agent gets nothing, and what waited once it is resumed', async () => {
    const agent = await newAgent();
    await beat(agent);
    await fleet.orgAdmin.call('registry.agents.pause', { agent_ref: agent.agentId });
    await send(agent, 'later');
    expect(await beat(agent, { wait_seconds: 5 })).toMatchObject({
      messages: [],
      workspace_status: 'paused',
    });
    expect((await fleet.orgAdmin.call('registry.agents.resume', { agent_ref: agent.agentId })).status).toBe(
      'offline',
    );
    expect((await beat(agent)).messages).toHaveLength(1);
  });

  it('a held beat is answered as soon as a message comes', async () => {
    const agent = await newAgent();
    await beat(agent);
    const held = beat(agent, { wait_seconds: 25 });
    await heldBeats(1);
    const { id } = await send(agent, 'now');
    expect((await held).messages.map((message) => message.id)).toEqual([id]);
  });

  it('a held beat gives nothing out while another beat says that the agent works', async () => {
    const agent = await newAgent();
    const instance_id = 'process-1';
    const held = beat(agent, { wait_seconds: 1, instance_id, beat: 1 });
    await heldBeats(1);
    await beat(agent, { active_tasks: 1, instance_id, beat: 2 });
    await send(agent, 'wait');
    expect((await held).messages).toEqual([]);
    expect((await beat(agent, { active_tasks: 0, instance_id, beat: 3 })).messages).toHaveLength(1);
  });

  it('a beat that was overtaken changes nothing but the time of the last sign of life', async () => {
    const agent = await newAgent();
    await beat(agent, { active_tasks: 1, instance_id: 'p', beat: 7 });
    await beat(agent, { active_tasks: 0, instance_id: 'p', beat: 6, leaving: true });
    expect(await fleet.admin.agent(agent.workspaceId)).toMatchObject({ status: 'online', active_tasks: 1 });
    await beat(agent, { active_tasks: 0, instance_id: 'q', beat: 1 });
    expect(await fleet.admin.agent(agent.workspaceId)).toMatchObject({ active_tasks: 0 });
  });

  it('nothing is handed out to a caller that has gone', async () => {
    const agent = await newAgent();
    await beat(agent);
    const gone = new AbortController();
    const held = agent.client
      .heartbeat(
        { session_id: `session-of-${agent.agentId}`, active_tasks: 0, wait_seconds: 25 },
        { signal: gone.signal, timeoutMs: 40_000 },
      )
      .catch(() => 'gone');
    await heldBeats(1);
    gone.abort();
    expect(await held).toBe('gone');
    await heldBeats(0);
    const { id } = await send(agent, 'still there');
    expect((await beat(agent)).messages.map((message) => message.id)).toEqual([id]);
  });

  it('an older session is fenced off: its token ends, and its session id is refused', async () => {
    const agent = await newAgent();
    await beat(agent);
    const newer = await registerWorkspace(sql, {
      orgId: fleet.orgId,
      agentId: agent.agentId,
      name: 'x',
      sessionId: 's2',
    });
    await expect(beat(agent)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(beat({ ...agent, client: fleet.as(newer.token) })).rejects.toMatchObject({
      code: 'conflict',
      facts: { cause: 'session_replaced' },
    });
  });

  it('a message an older session took and never answered for is not sent again by itself', async () => {
    const agent = await newAgent();
    const { id } = await send(agent, 'perhaps');
    await beat(agent);
    const { token } = await registerWorkspace(sql, {
      orgId: fleet.orgId,
      agentId: agent.agentId,
      name: 'x',
      sessionId: 's2',
    });
    await sql.query("UPDATE a2a_queue SET lease_until = now() - interval '1 s' WHERE id = $1::uuid", [id]);
    const answer = await fleet.as(token).heartbeat({ session_id: 's2', active_tasks: 0 });
    expect(answer.messages).toEqual([]);
    const { rows } = await sql.query('SELECT status FROM a2a_queue WHERE id = $1::uuid', [id]);
    expect(rows).toEqual([{ status: 'failed' }]);
  });

  it('the same message comes again when its lease ran out under the same session, with a new attempt', async () => {
    const agent = await newAgent();
    const { id } = await send(agent, 'again');
    await beat(agent);
    await sql.query("UPDATE a2a_queue SET lease_until = now() - interval '1 s' WHERE id = $1::uuid", [id]);
    expect((await beat(agent)).messages).toMatchObject([{ id, attempt: 2 }]);
  });

  it.each<[string, object]>([
    ['no session', { active_tasks: 0 }],
    ['a negative number of tasks', { session_id: 's', active_tasks: -1 }],
    ['a hold that is too long', { session_id: 's', active_tasks: 0, wait_seconds: 26 }],
    ['a workspace in the body', { session_id: 's', active_tasks: 0, workspace_id: 'x' }],
    ['an error rate above one', { session_id: 's', active_tasks: 0, error_rate: 1.5 }],
    [
      'an ack without an id',
      { session_id: 's', active_tasks: 0, acks: [{ attempt: 1, result: 'accepted' }] },
    ],
    [
      'an ack of no message',
      { session_id: 's', active_tasks: 0, acks: [{ id: 'x', attempt: 1, result: 'accepted' }] },
    ],
  ])('a beat with %s is refused', async (_, body) => {
    const agent = await newAgent();
    await expect(agent.client.request('POST', '/registry/heartbeat', body)).rejects.toMatchObject({
      code: 'invalid',
      facts: { http_status: 422 },
    });
    expect(await statusOf(agent)).toBe('provisioning');
  });

  it('an agent cannot answer for the message of another one', async () => {
    const [mine, other] = [await newAgent(), await newAgent()];
    const { id } = await send(other, 'private');
    await beat(other);
    await beat(mine, { acks: [{ id, attempt: 1, result: 'accepted' }] });
    const { rows } = await sql.query('SELECT status FROM a2a_queue WHERE id = $1::uuid', [id]);
    expect(rows).toEqual([{ status: 'dispatched' }]);
  });

  it('many beats of one agent at once give each message to one of them', async () => {
    const agent = await newAgent();
    await sql.query('UPDATE workspaces SET max_concurrent_tasks = 64 WHERE id = $1::uuid', [
      agent.workspaceId,
    ]);
    const sent = await Promise.all(Array.from({ length: 20 }, (_, i) => send(agent, String(i))));
    const answers = await Promise.all(Array.from({ length: 12 }, () => beat(agent)));
    const got = answers.flatMap((answer) => answer.messages.map((message) => message.id));
    expect(got.sort()).toEqual(sent.map(({ id }) => id).sort());
  });

  it('beats of many agents at once: what each reports is stored for that one, and each gets its own', async () => {
    const many = await Promise.all(Array.from({ length: 30 }, newAgent));
    for (const agent of many) await beat(agent);
    const sent = new Map<string, string>();
    for (const agent of many.slice(0, 10)) sent.set(agent.workspaceId, (await send(agent, 'yours')).id);
    const answers = await Promise.all(
      many.map((agent, index) =>
        beat(agent, {
          current_task: `task ${index}`,
          error_rate: index % 2,
          state: 'idle',
          host: `h${index}`,
        }),
      ),
    );
    for (const [index, agent] of many.entries()) {
      const { messages, workspace_id, workspace_status } = answers[index]!;
      const status = index % 2 === 0 ? 'online' : 'degraded';
      expect([workspace_id, workspace_status]).toEqual([agent.workspaceId, status]);
      const expected = sent.get(agent.workspaceId);
      expect(messages.map(({ id }) => id)).toEqual(expected === undefined ? [] : [expected]);
      expect(await fleet.admin.agent(agent.workspaceId)).toMatchObject({
        status,
        current_task: `task ${index}`,
        host: `h${index}`,
        state: 'idle',
      });
    }
  });

  it('of many beats at once only those are refused whose token has ended or whose session is older', async () => {
    const many = await Promise.all(Array.from({ length: 6 }, newAgent));
    for (const agent of many) await beat(agent);
    const [revoked, replaced] = many as [TestAgent, TestAgent];
    await sql.query('UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1::uuid', [
      revoked.workspaceId,
    ]);
    await sql.query(`UPDATE workspaces SET session_id = 'newer' WHERE id = $1::uuid`, [replaced.workspaceId]);
    const answers = await Promise.allSettled(many.map((agent) => beat(agent)));
    const codes = answers.map((answer) => (answer.status === 'rejected' ? answer.reason.code : 'ok'));
    expect(codes).toEqual(['unauthorized', 'conflict', 'ok', 'ok', 'ok', 'ok']);
  });

  /** Waits until /metrics shows this many held beats. */
  async function heldBeats(count: number): Promise<void> {
    await untilHeld(fleet, count);
  }
});

it('a beat whose agent is being changed waits for that, and keeps no other beat waiting', async () => {
  const fleet = await startFleet({ on: 'postgres' });
  try {
    const [locked, other] = [await fleet.agent('locked'), await fleet.agent('other')];
    const beat = ({ client, agentId }: TestAgent) =>
      client.heartbeat({ session_id: `session-of-${agentId}`, active_tasks: 0 }, { timeoutMs: 40_000 });
    await Promise.all([beat(locked), beat(other)]);
    const said: string[] = [];
    let waits: Promise<unknown> | undefined;
    await fleet.sql.transaction(async (tx) => {
      await tx.query(`UPDATE workspaces SET status = 'paused' WHERE id = $1::uuid`, [locked.workspaceId]);
      waits = beat(locked).then(({ workspace_status }) => said.push(`locked ${workspace_status}`));
      for (let n = 0; n < 20; n++) await beat(other);
      said.push('other');
    });
    await waits;
    expect(said).toEqual(['other', 'locked paused']);
  } finally {
    await fleet.stop();
  }
});

async function untilHeld({ url }: TestFleet, count: number): Promise<void> {
  const line = `\nrouse_held_heartbeats ${count}\n`;
  while (!(await (await fetch(`${url}/metrics`)).text()).includes(line)) await sleep(systemClock, 10);
}

it('a server that stops answers held beats at once', async () => {
  const fleet = await startFleet();
  const { id } = await ensureOrg(fleet.sql, 'default');
  const { token } = await registerWorkspace(fleet.sql, {
    orgId: id,
    agentId: 'a',
    name: 'a',
    sessionId: 's',
  });
  const held = fleet
    .as(token)
    .heartbeat({ session_id: 's', active_tasks: 0, wait_seconds: 25 }, { timeoutMs: 40_000 });
  await untilHeld(fleet, 1);
  await fleet.stop();
  expect(await held).toMatchObject({ messages: [], next_heartbeat_seconds: 1 });
});
