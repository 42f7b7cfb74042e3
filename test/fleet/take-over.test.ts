import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetClient } from '../../src/client/index.ts';
import { startFleet, type TestFleet } from '../support/fleet.ts';

let fleet: TestFleet;
beforeAll(async () => {
  fleet = await startFleet({ config: { livenessSeconds: 60 } });
});
afterAll(() => fleet.stop());

const register = (by: FleetClient, agent: string, session: string, more: object = {}) =>
  by.register({ agent_id: agent, name: agent, session_id: session, host: `host-of-${session}`, ...more });

/** An agent that `by` registered and that sends heartbeats. */
async function running(by: FleetClient, agent: string, session = 'first') {
  const { auth_token, workspace_id } = await register(by, agent, session);
  const client = fleet.as(auth_token);
  await client.heartbeat({ session_id: session, active_tasks: 0 });
  return { client, workspace_id };
}

const silentSince = (workspace: string, seconds: number) =>
  fleet.sql.query(
    'UPDATE workspaces SET last_heartbeat_at = now() - make_interval(secs => $2) WHERE id = $1',
    [workspace, seconds],
  );

describe('the same agent on a second host', () => {
  it('an agent on a second host is refused while the first one beats, with where that is', async () => {
    const { client, workspace_id } = await running(fleet.user, 'ana');
    await expect(register(fleet.user, 'ana', 'second')).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(
        /^agent ana is already running on host host-of-first: session first, .*\d s ago$/,
      ),
      facts: {
        cause: 'agent_online_elsewhere',
        workspace_id,
        session_id: 'first',
        host: 'host-of-first',
        since: expect.any(String),
        last_heartbeat_at: expect.any(String),
      },
    });
    await client.heartbeat({ session_id: 'first', active_tasks: 0 });
    expect((await fleet.user.agent('ana')).host).toBe('host-of-first');
  });

  it('an agent on a second host takes the place of the first when that is asked for; the first learns who has it', async () => {
    const { client } = await running(fleet.user, 'ben');
    const held = client.heartbeat({ session_id: 'first', active_tasks: 0, wait_seconds: 20 });
    held.catch(() => {});
    const { auth_token } = await register(fleet.user, 'ben', 'second', { take_over: true });
    const refusal = {
      code: 'unauthorized',
      message: 'replaced by session second on host host-of-second',
      facts: { cause: 'session_replaced', replaced_by: 'second', host: 'host-of-second' },
    };
    await expect(held).rejects.toMatchObject(refusal);
    await expect(client.heartbeat({ session_id: 'first', active_tasks: 0 })).rejects.toMatchObject(refusal);
    await fleet.as(auth_token).heartbeat({ session_id: 'second', active_tasks: 0 });
  });

  it('the place of an agent is free after a good-bye, after silence, and for the same session', async () => {
    const left = await running(fleet.user, 'cleo');
    await left.client.heartbeat({ session_id: 'first', active_tasks: 0, leaving: true });
    await register(fleet.user, 'cleo', 'second');
    const silent = await running(fleet.user, 'dan');
    await silentSince(silent.workspace_id, 61);
    await register(fleet.user, 'dan', 'second');
    await running(fleet.user, 'eve');
    await register(fleet.user, 'eve', 'first');
  });

  it('of two hosts that come at once after an agent left, the second finds the first only once that beats', async () => {
    const { client, workspace_id } = await running(fleet.user, 'finn');
    await client.heartbeat({ session_id: 'first', active_tasks: 0, leaving: true });
    const both = await Promise.allSettled(
      ['second', 'third'].map((session) => register(fleet.user, 'finn', session)),
    );
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    const { session_id } = await fleet.user.agent(workspace_id);
    const tokens = both.map(
      (each) => (each as PromiseFulfilledResult<{ auth_token: string }>).value.auth_token,
    );
    const beats = await Promise.allSettled(
      tokens.map((token) => fleet.as(token).heartbeat({ session_id: session_id!, active_tasks: 0 })),
    );
    expect(beats.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('an agent', () => {
  it('an agent is registered again by its owner, an administrator or itself, and by no other user of the org', async () => {
    const { token } = await fleet.admin.createToken({ kind: 'user', subject: 'other', org: 'default' });
    const other = fleet.as(token);
    const { client, workspace_id } = await running(fleet.user, 'gil');
    for (const more of [{}, { take_over: true }]) {
      await expect(register(other, 'gil', 'first', more)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'agent gil belongs to ana',
      });
    }
    await client.heartbeat({ session_id: 'first', active_tasks: 0 });
    const again = await register(client, 'gil', 'first');
    await fleet.as(again.auth_token).heartbeat({ session_id: 'first', active_tasks: 0 });
    await register(fleet.orgAdmin, 'gil', 'first');
    await silentSince(workspace_id, 61);
    await expect(register(other, 'gil', 'theirs')).rejects.toMatchObject({ code: 'forbidden' });
    expect((await register(fleet.orgAdmin, 'gil', 'first')).workspace_id).toBe(workspace_id);
  });

  it('an agent keeps its name: no other user of the org registers it under another id', async () => {
    const { token } = await fleet.admin.createToken({ kind: 'user', subject: 'namesake', org: 'default' });
    const other = fleet.as(token);
    const { workspace_id } = await running(fleet.user, 'ida');
    const theirs = (await register(other, 'other-id', 'theirs')).auth_token;
    for (const by of [other, fleet.as(theirs)]) {
      await expect(register(by, 'other-id', 'theirs', { name: 'ida' })).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
    await expect(register(other, 'third-id', 'theirs', { name: 'ida' })).rejects.toMatchObject({
      message: 'agent ida belongs to ana',
      facts: { cause: 'not_its_owner', workspace_id },
    });
    expect((await fleet.user.agent('ida')).workspace_id).toBe(workspace_id);
    await register(fleet.user, 'own-second-id', 'second', { name: 'ida' });
  });

  it('an agent of another org with the same id is a different agent', async () => {
    await running(fleet.user, 'hal');
    const away = await fleet.tenant('away');
    const theirs = await register(away.user, 'hal', 'theirs');
    expect(theirs.workspace_id).not.toBe((await fleet.user.agent('hal')).workspace_id);
  });
});

describe('a grant', () => {
  it('a grant is given by an administrator of the whole server, to a person', async () => {
    const wish = { kind: 'user', subject: 'ops', grants: ['launch'] } as const;
    expect((await fleet.admin.createToken({ ...wish, grants: ['launch'] })).grants).toEqual(['launch']);
    await expect(fleet.orgAdmin.createToken({ ...wish, grants: ['launch'] })).rejects.toMatchObject({
      code: 'forbidden',
    });
    await fleet.agent('ivy');
    await expect(
      fleet.admin.createToken({ kind: 'agent', agent: 'ivy', grants: ['launch'] }),
    ).rejects.toMatchObject({ code: 'invalid' });
  });
});
