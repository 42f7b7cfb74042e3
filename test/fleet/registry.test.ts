import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../src/db/index.ts';
import { ensureOrg, registerWorkspace, resolveWorkspace } from '../../src/fleet/index.ts';
import { databases, type TestDatabase } from '../support/fleet.ts';

describe.each(databases)('the registry on %s', (_, open) => {
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

  it('finds an agent by workspace id, agent id and name, in this order', async () => {
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

  it('refuses a name that several agents have, and says which', async () => {
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
    'nobody',
    '00000000-0000-0000-0000-000000000000',
    "'; DROP TABLE workspaces; --",
    'x'.repeat(5000),
  ])('does not find %j', async (ref) => {
    await expect(resolveWorkspace(sql, orgId, ref)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('does not find the agents of another org, by whatever name', async () => {
    const foreign = await register('secret', 'secret', (await ensureOrg(sql, 'elsewhere')).id);
    for (const ref of ['secret', foreign.workspaceId])
      await expect(resolveWorkspace(sql, orgId, ref)).rejects.toMatchObject({ code: 'not_found' });
    expect((await resolveWorkspace(sql, null, 'secret')).id).toBe(foreign.workspaceId);
  });

  it('keeps the workspace of an agent that registers again, and ends its older tokens', async () => {
    const first = await register('again');
    const second = await register('again');
    expect(second.workspaceId).toBe(first.workspaceId);
    const { rows } = await sql.query<{ alive: number }>(
      'SELECT count(*)::int AS alive FROM tokens WHERE workspace_id = $1 AND revoked_at IS NULL',
      [first.workspaceId],
    );
    expect(rows[0]!.alive).toBe(1);
  });
});
