import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newUuid, silentLog } from '../../src/base/index.ts';
import type { Sql } from '../../src/db/index.ts';
import { ensureOrg, registerWorkspace, resolveWorkspace } from '../../src/fleet/index.ts';
import { livenessPass } from '../../src/fleet/registry/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';

describe.each(databases(import.meta.filename))('the registry on %s', (_, open) => {
  let database: TestDatabase;
  let sql: Sql;
  let orgId: string;
  beforeAll(async () => {
    database = await open();
    sql = database.sql;
    orgId = (await ensureOrg(sql, 'default')).id;
  });
  afterAll(() => database.close());

  const register = (agentId: string, name = agentId, org = orgId) =>
    registerWorkspace(sql, { orgId: org, agentId, name, sessionId: 's1' });

  it('the registry finds an agent by workspace id, agent id and name, in this order', async () => {
    const ana = await register('id-ana', 'ana');
    const other = await register('ana', 'other');
    for (const [ref, id] of [
      [ana.workspaceId, ana.workspaceId],
      [ana.workspaceId.toUpperCase(), ana.workspaceId],
      ['id-ana', ana.workspaceId],
      ['ana', other.workspaceId],
    ] as const)
      expect((await resolveWorkspace(sql, orgId, ref)).id).toBe(id);
  });

  it('the registry refuses a name that several agents have, and says which', async () => {
    const ids = [await register('twin-1', 'twin'), await register('twin-2', 'twin')].map(
      (w) => w.workspaceId,
    );
    await expect(resolveWorkspace(sql, orgId, 'twin')).rejects.toMatchObject({
      code: 'conflict',
      facts: { workspace_ids: ids.sort() },
    });
  });

  it.each([
    '',
    'unknown',
    '00000000-0000-0000-0000-000000000000',
    "'; DROP TABLE workspaces; --",
    'x'.repeat(5000),
  ])('the registry does not find %j', async (ref) => {
    await expect(resolveWorkspace(sql, orgId, ref)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('the registry does not find the agents of another org, by whatever name', async () => {
    const foreign = await register('secret', 'secret', (await ensureOrg(sql, 'elsewhere')).id);
    for (const ref of ['secret', foreign.workspaceId])
      await expect(resolveWorkspace(sql, orgId, ref)).rejects.toMatchObject({ code: 'not_found' });
    expect((await resolveWorkspace(sql, null, 'secret')).id).toBe(foreign.workspaceId);
  });

  it('the registry keeps the workspace of an agent that registers again, and ends its older tokens', async () => {
    const first = await register('again');
    const second = await register('again');
    expect(second.workspaceId).toBe(first.workspaceId);
    const { rows } = await sql.query<{ alive: number }>(
      'SELECT count(*)::int AS alive FROM tokens WHERE workspace_id = $1 AND revoked_at IS NULL',
      [first.workspaceId],
    );
    expect(rows[0]!.alive).toBe(1);
  });

  it.each([
    ['name', (i: number) => ({ agentId: `raced-id-${i}`, name: 'raced' })],
    ['agent id', (i: number) => ({ agentId: 'raced-id', name: `raced-${i}` })],
    ['name and agent id', () => ({ agentId: 'raced-both', name: 'raced-both' })],
  ])('the registry of users who register the same new %s at once, one gets it', async (_, wanted) => {
    const users = ['ana', 'ben', 'cleo', 'dan'].map((userId) => ({
      kind: 'user' as const,
      tokenId: newUuid(),
      orgId,
      userId,
      grants: [],
    }));
    const all = await Promise.allSettled(
      users.map((by, i) => registerWorkspace(sql, { orgId, ...wanted(i), sessionId: `of-${i}`, by })),
    );
    const refused = all.filter((each) => each.status === 'rejected');
    expect(refused.map(({ reason }) => reason.code)).toEqual(['forbidden', 'forbidden', 'forbidden']);
  });

  describe('liveness', () => {
    const longAgo = new Date(0);
    const options = { windowSeconds: 180, startedAt: longAgo, log: silentLog };
    const agent = async (name: string, status: string, silentSeconds: number): Promise<string> => {
      const { workspaceId } = await register(name);
      await sql.query(
        `UPDATE workspaces SET status = $2, last_heartbeat_at = now() - make_interval(secs => $3::float8)
          WHERE id = $1::uuid`,
        [workspaceId, status, silentSeconds],
      );
      return workspaceId;
    };
    const statusOf = async (id: string): Promise<unknown> =>
      (await sql.query('SELECT status FROM workspaces WHERE id = $1::uuid', [id])).rows[0]!['status'];

    it.each([
      ['online', 181, 'offline'],
      ['degraded', 181, 'offline'],
      ['online', 170, 'online'],
      ['paused', 9999, 'paused'],
      ['hibernated', 9999, 'hibernated'],
      ['provisioning', 9999, 'provisioning'],
      ['awaiting_agent', 9999, 'awaiting_agent'],
    ])('an agent that is %s and was silent for %d s is %s', async (before, silent, after) => {
      const id = await agent(`live-${before}-${silent}`, before, silent);
      await livenessPass(sql, options);
      expect(await statusOf(id)).toBe(after);
      expect(await livenessPass(sql, options)).toEqual({ offline: 0 });
    });

    it('a dry run of the liveness sweep counts and changes nothing', async () => {
      const id = await agent('live-dry', 'online', 500);
      expect(await livenessPass(sql, { ...options, dryRun: true })).toEqual({ offline: 1 });
      expect(await statusOf(id)).toBe('online');
      await livenessPass(sql, options);
    });

    it('a server that has just started takes no agent offline for its silence', async () => {
      const id = await agent('live-grace', 'online', 500);
      expect(await livenessPass(sql, { ...options, startedAt: new Date() })).toEqual({ offline: 0 });
      expect(await statusOf(id)).toBe('online');
      await livenessPass(sql, options);
    });

    it('two liveness sweeps at once take each agent offline once', async () => {
      for (let i = 0; i < 20; i++) await agent(`live-many-${i}`, 'online', 500);
      const results = await Promise.all([livenessPass(sql, options), livenessPass(sql, options)]);
      expect(results[0]!.offline + results[1]!.offline).toBe(20);
    });
  });
});
