import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog, silentLog, systemClock } from '../../src/base/index.ts';
import { TicketsClient } from '../../src/client/index.ts';
import { identify } from '../../src/fleet/identity/index.ts';
import { enqueue, initServer, serverFiles } from '../../src/fleet/index.ts';
import { NUDGE_DEFAULTS } from '../../src/fleet/nudge/index.ts';
import { openDatabase } from '../../src/fleet/server.ts';
import { cancelOrphans } from '../../src/fleet/tickets/index.ts';
import { startFleet, TEMPLATES, type TestFleet } from '../support/fleet.ts';
import { a2aClient } from './a2a-support.ts';

/** The cases of a fleet's operator: lost tokens, removed agents, pauses, long lists, proxies. */
let fleet: TestFleet;
const log: string[] = [];
beforeAll(async () => {
  fleet = await startFleet({
    config: {
      publicUrl: 'https://fleet.example.org/rouse',
      nudge: { ...NUDGE_DEFAULTS, disabled: true },
      log: createLog({ clock: systemClock, write: (line) => log.push(line) }),
    },
  });
});
afterAll(() => fleet.stop());

const online = async (name: string) => {
  const agent = await fleet.agent(name);
  await agent.client.heartbeat({ session_id: `session-of-${name}`, active_tasks: 0 });
  return agent;
};

describe('a removed agent', () => {
  it('a removed agent leaves no open request behind: each is cancelled, and its requester is informed', async () => {
    const [asker, gone] = [await online('asker'), await online('gone')];
    const wish = { kind: 'task', title: 'do it', recipient_type: 'agent', recipient_id: 'gone' } as const;
    const own = new TicketsClient(asker.client, asker.workspaceId);
    const { request_id } = await own.create(wish);
    await new TicketsClient(fleet.user).create(wish);
    await fleet.admin.call('registry.agents.remove', { agent_ref: 'gone' });
    const { request } = await own.get(request_id);
    expect(request).toMatchObject({
      status: 'cancelled',
      close_reason: 'recipient_removed',
      responder_id: gone.workspaceId,
    });
    const { messages } = await asker.client.heartbeat({ session_id: 'session-of-asker', active_tasks: 0 });
    expect(messages.map(({ body }) => JSON.stringify(body))).toEqual([
      expect.stringContaining(`Request ${request_id} was cancelled: the agent you asked was removed`),
    ]);
    const { rows } = await fleet.sql.query(
      `SELECT count(*)::int AS open FROM requests WHERE recipient_workspace_id = $1 AND status = 'pending'`,
      [gone.workspaceId],
    );
    expect(rows).toEqual([{ open: 0 }]);
    const { rows: events } = await fleet.sql.query(
      `SELECT data FROM request_events WHERE request_id = $1 AND type = 'REQUEST_CANCELLED'`,
      [request_id],
    );
    expect(events).toEqual([{ data: { reason: 'recipient_removed' } }]);
  });

  it('requests of a removed agent that a crash left open are ended by the next sweep, once', async () => {
    const late = await online('late');
    await new TicketsClient(fleet.user).create({
      kind: 'task',
      title: 'x',
      recipient_type: 'agent',
      recipient_id: 'late',
    });
    await fleet.sql.query(`UPDATE workspaces SET status = 'removed' WHERE id = $1`, [late.workspaceId]);
    const both = await Promise.all([cancelOrphans(fleet.sql, enqueue), cancelOrphans(fleet.sql, enqueue)]);
    expect(both.sort()).toEqual([0, 1]);
  });
});

it('a row that others wrote with an upper-case recipient finds its agent', async () => {
  const agent = await online('upper');
  await fleet.sql.query(
    `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, title)
     VALUES (gen_random_uuid(), $1, 'task', 'user', 'ana', 'agent', $2, 'by hand')`,
    [fleet.orgId, agent.workspaceId.toUpperCase()],
  );
  const inbox = await new TicketsClient(agent.client, agent.workspaceId).inbox();
  expect(inbox.requests.map(({ title }) => title)).toEqual(['by hand']);
  const { rows } = await fleet.sql.query(
    'SELECT recipient_workspace_id AS id FROM requests WHERE title = $1',
    ['by hand'],
  );
  expect(rows).toEqual([{ id: agent.workspaceId }]);
});

it('a resumed agent gets what waits at once', async () => {
  const agent = await online('pausing');
  await fleet.user.call('registry.agents.pause', { agent_ref: 'pausing' });
  const { id } = await enqueue(fleet.sql, {
    orgId: fleet.orgId,
    workspaceId: agent.workspaceId,
    priority: 50,
    method: 'message/send',
    body: {},
  });
  const beat = (wait_seconds: number) =>
    agent.client.heartbeat({ session_id: 'session-of-pausing', active_tasks: 0, wait_seconds });
  const held = beat(25);
  const heldBeats = async () => (await fetch(`${fleet.url}/metrics`)).text();
  await expect.poll(heldBeats).toContain('rouse_held_heartbeats 1');
  await fleet.user.call('registry.agents.resume', { agent_ref: 'pausing' });
  // A beat counts as held from its first look on: waiting messages come with it or with the next one, once.
  const first = await held;
  expect(first.next_heartbeat_seconds).toBe(0);
  const given = [...first.messages, ...(await beat(0)).messages];
  expect(given.map((message) => message.id)).toEqual([id]);
});

describe('lists that are cut', () => {
  it('lists that are cut say so and go on where they ended: agents, tokens, requests', async () => {
    for (let index = 0; index < 5; index++) await fleet.agent(`many-${index}`);
    const all = (await fleet.admin.call('registry.agents.list', {})).agents.map(({ name }) => name);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await fleet.admin.call('registry.agents.list', { limit: 2, ...(cursor && { cursor }) });
      seen.push(...page.agents.map(({ name }) => name));
      expect(page.truncated).toBe(page.next_cursor !== null);
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
    const tokens = await fleet.admin.call('admin.tokens.list', { limit: 3 });
    expect([tokens.tokens.length, tokens.truncated]).toEqual([3, true]);
    const rest = await fleet.admin.call('admin.tokens.list', { cursor: tokens.next_cursor! });
    expect(rest.truncated).toBe(false);
    const ids = [...tokens.tokens, ...rest.tokens].map(({ token_id }) => token_id);
    expect(ids).toEqual(
      (await fleet.admin.call('admin.tokens.list', {})).tokens.map(({ token_id }) => token_id),
    );
    const requests = await new TicketsClient(fleet.user).sent({ status: 'all', limit: 1 });
    expect([requests.truncated, requests.next_cursor === null]).toEqual([true, false]);
    expect(await fleet.admin.request('GET', '/admin/a2a-queue')).toMatchObject({
      next_cursor: null,
      truncated: false,
    });
  });
});

it('the card of an agent names the public URL', async () => {
  const { workspaceId } = await fleet.agent('carded');
  const client = await a2aClient(`${fleet.url}/a2a/${workspaceId}`, fleet.tokens.user);
  const card = await client.getAgentCard();
  expect(card.supportedInterfaces.map(({ url }) => url)).toContain(
    `https://fleet.example.org/rouse/a2a/${workspaceId}`,
  );
});

it('a sweeper that is disabled says so once', () => {
  expect(log.filter((line) => line.includes('sweeper request-nudge is disabled'))).toHaveLength(1);
});

it('the owner of the database replaces a lost admin token; the old one ends, those of others stay', async () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-init-'));
  const files = serverFiles(home);
  const init = (replaceAdminToken: boolean) =>
    initServer({ files, databaseUrl: undefined, clock: systemClock, log: silentLog, replaceAdminToken });
  const token = () => fs.readFileSync(files.adminToken, 'utf8').trim();
  try {
    expect(await init(false)).toBe('made');
    const lost = token();
    fs.rmSync(files.adminToken);
    expect(await init(false)).toBe('elsewhere');
    expect(await init(true)).toBe('made');
    const found = token();
    expect(fs.statSync(files.adminToken).mode & 0o777).toBe(0o600);
    const sql = await openDatabase({
      databaseUrl: undefined,
      databaseDirectory: files.database,
      templateDirectory: TEMPLATES,
      clock: systemClock,
      log: silentLog,
    });
    try {
      expect(await identify(sql, found)).toMatchObject({ kind: 'admin', orgId: null });
      await expect(identify(sql, lost)).rejects.toMatchObject({ code: 'unauthorized' });
    } finally {
      await sql.close();
    }
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
});
