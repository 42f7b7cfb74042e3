import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/index.ts';
import { nudgeSettings } from '../../src/fleet/index.ts';
import { sweeperList, sweeperRun } from '../../src/wire/index.ts';
import { startFleet, type TestAgent, type TestFleet } from '../support/fleet.ts';
import { NudgeWorld } from './nudge-world.ts';

describe('the sweepers of a server, as administrators see them', () => {
  let fleet: TestFleet;
  let world: NudgeWorld;
  let agent: TestAgent;

  beforeAll(async () => {
    fleet = await startFleet();
    world = new NudgeWorld(fleet.sql);
    world.orgId = fleet.orgId;
    agent = await fleet.agent('worker');
    await fleet.sql.query(`UPDATE workspaces SET status = 'online' WHERE id = $1`, [agent.workspaceId]);
    await world.item(agent.workspaceId);
  });
  afterAll(() => fleet.stop());

  const ask = (path: string, { token = fleet.tokens.admin, method = 'GET' } = {}): Promise<Response> =>
    fetch(fleet.url + path, { method, headers: { 'x-rouse': '1', authorization: `Bearer ${token}` } });
  const run = async (query = ''): Promise<unknown> => {
    const answer = await ask(`/admin/sweepers/request-nudge/run${query}`, { method: 'POST' });
    expect(answer.status).toBe(200);
    return sweeperRun.parse(await answer.json());
  };

  it('a dry run of a sweeper returns what would be done, a run does it, and the last result is kept', async () => {
    expect(await run('?dry_run=1')).toMatchObject({
      dry_run: true,
      outcome: 'done',
      result: { agents_nudged: 1 },
    });
    expect(await world.nudges()).toEqual([]);
    expect(await run('?dry_run=0')).toMatchObject({
      dry_run: false,
      outcome: 'done',
      result: { agents_nudged: 1 },
    });
    expect(await world.nudges(agent.workspaceId)).toHaveLength(1);
    const { sweepers } = sweeperList.parse(await (await ask('/admin/sweepers')).json());
    expect(sweepers.find(({ name }) => name === 'request-nudge')).toMatchObject({
      interval_seconds: 300,
      running: false,
      holder: null,
      last_error: null,
      last_result: { agents_nudged: 1, items_covered: 1, errors: 0, bad_rows: 0, more: false },
    });
    expect(await (await ask('/metrics')).text()).toContain(
      'rouse_sweeper_result_total{sweeper="request-nudge",field="agents_nudged"} 1',
    );
  });

  it('a sweeper run while another server sweeps is a skip, not an error', async () => {
    await fleet.sql.query(
      `UPDATE sweepers SET holder = 'other', lease_until = now() + interval '10 seconds'`,
    );
    expect(await run()).toMatchObject({ outcome: 'skipped', reason: 'lease' });
    await fleet.sql.query('UPDATE sweepers SET holder = NULL, lease_until = NULL');
  });

  it.each([
    ['GET', '/admin/sweepers'],
    ['POST', '/admin/sweepers/request-nudge/run'],
  ])('%s %s is for administrators of the whole server', async (method, path) => {
    const status = async (token: string): Promise<number> => (await ask(path, { token, method })).status;
    expect(await status(fleet.tokens.user)).toBe(403);
    expect(await status(fleet.tokens.orgAdmin)).toBe(403);
    expect(await status(agent.token)).toBe(403);
    expect(await status('rouse_wrong')).toBe(401);
    expect((await fetch(fleet.url + path, { method, headers: { 'x-rouse': '1' } })).status).toBe(401);
  });

  it.each([
    ['/admin/sweepers/nothing/run', 404],
    ['/admin/sweepers/request-nudge/run?dry_run=yes', 422],
    ['/admin/sweepers/request-nudge/run?dryrun=1', 422],
  ])('POST %s is refused with %i and sweeps nothing', async (path, status) => {
    const before = await world.nudges();
    expect((await ask(path, { method: 'POST' })).status).toBe(status);
    expect(await world.nudges()).toEqual(before);
  });
});

describe('a server that is set not to nudge', () => {
  it('a server that is set not to nudge has no such sweeper', async () => {
    const fleet = await startFleet({
      config: { nudge: nudgeSettings({ REQUEST_NUDGE_SWEEPER_DISABLED: 'TRUE' }, silentLog) },
    });
    try {
      const answer = await fetch(`${fleet.url}/admin/sweepers`, {
        headers: { authorization: `Bearer ${fleet.tokens.admin}` },
      });
      const { sweepers } = (await answer.json()) as { sweepers: { name: string }[] };
      expect(sweepers.map(({ name }) => name)).not.toContain('request-nudge');
    } finally {
      await fleet.stop();
    }
  });
});
