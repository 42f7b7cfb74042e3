import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Ending, systemClock } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';
import { GatewayClient } from '../../src/client/index.ts';
import { openSqlite } from '../../src/db/index.ts';
import * as tables from '../../src/domain/index.ts';
import { createToken, ensureOrg } from '../../src/fleet/index.ts';
import { agentFacts } from '../../src/fleet/page/agents/agent-facts.ts';
import type { AgentReach } from '../../src/fleet/page/agents/agent-reach.ts';
import { remoteRow } from '../../src/fleet/page/host/agent-rows.ts';
import { NotifierStore } from '../../src/gateway/notifier/notifier-store.ts';
import { QUEUE_FILE_MIGRATIONS } from '../../src/gateway/queue-file.ts';
import type { TestGateway } from '../../src/gateway/testing.ts';
import { statusWords } from '../../src/page/model/request-words.ts';
import { notifierDecision, pageCodeBody, pageRequestList } from '../../src/wire/index.ts';
import { PageWorld } from '../page/page-world.ts';
import { type CliAgent, cliAgent } from '../support/cli-agent.ts';

/**
 * Runs on sources with the rows of made-up-rows.ts and no other change: everything that these tests do with the rows
 * follows from their tables.
 */
let ending = new Ending();
afterEach(async () => {
  await ending.run();
  ending = new Ending();
});

const gateway = (...words: string[]): string[] => ['agents', 'gateway', ...words, '--agent-name', 'gpu'];
/** The command line in this process, with the made-up rows. */
async function rouse(argv: string[], env: NodeJS.ProcessEnv) {
  const printed = { out: '', err: '' };
  const into = (name: 'out' | 'err') => ({
    write(text: string) {
      printed[name] += text;
    },
    isTTY: false,
  });
  const code = await runCli({
    argv,
    env,
    stdout: into('out'),
    stderr: into('err'),
    stdin: async () => '',
    stdinIsTty: true,
    signal: new AbortController().signal,
  });
  return { code, ...printed };
}

async function admin(world: PageWorld): Promise<NodeJS.ProcessEnv> {
  const { token } = await createToken(world.server.sql, { kind: 'admin', orgId: null, subject: 'root' });
  const file = path.join(world.directory, 'token');
  fs.writeFileSync(file, token, { mode: 0o600 });
  return { HOME: world.directory, ROUSE_FLEET_URL: world.url, ROUSE_FLEET_TOKEN_FILE: file };
}

const plain = async (agent: CliAgent, ...args: string[]): Promise<string> => {
  const { code, out, err } = await agent.rouse(args);
  expect([code, err]).toEqual([0, '']);
  return out;
};

/** What the page shows beside an agent, as the gateway of the agent reports it over HTTP. */
function onPage({ gateway }: TestGateway): ReturnType<typeof agentFacts> {
  const client = new GatewayClient({ host: '127.0.0.1', port: gateway.port });
  const reach: Pick<AgentReach, 'whyNot' | 'gateway'> = { whyNot: () => null, gateway: async () => client };
  const known = {
    workspaceId: 'w',
    agentId: 'a',
    name: 'gpu',
    tool: 'claude',
    host: 'far',
    status: 'online',
  };
  const counts = { currentTask: null, activeTasks: 0, queueDepth: 0, owes: 0, owed: 0 };
  const row = remoteRow({ ...known, ...counts, statusSince: new Date() } as never, new Date());
  return agentFacts(reach as AgentReach, { row, facts: undefined, paths: undefined });
}

describe('a made-up outcome of the notifier', () => {
  it('a made-up outcome of the notifier is stored, decided by its properties, and shown by the command line and the page in its own words', async () => {
    const agent = await cliAgent(ending);
    const running = await agent.attach();
    await plain(agent, ...gateway('mail-notifier', 'enable', '--interval-seconds', '3600'));
    const db = openSqlite({
      file: path.join(running.root, 'gateway', 'queue.sqlite'),
      migrations: QUEUE_FILE_MIGRATIONS,
    });
    ending.add(() => db.close());
    new NotifierStore(db, systemClock).audit({
      poll_time_utc: new Date().toISOString(),
      outcome: 'snoozed' as never,
      unread_count: 2,
      unread_digest: 'd',
      unread_summary: [],
      request_admission: null,
      active_execution: null,
      queue_depth: null,
      enqueued_request_id: null,
      detail: 'until noon',
      facts: null,
      chain: [],
    });
    const { body } = await running.call('GET', '/v1/mail-notifier/decisions');
    expect(notifierDecision.parse(body.decisions[0])).toMatchObject({ outcome: 'snoozed' });
    const why = await plain(agent, 'why', 'gpu');
    expect(why).toContain('not woken: it snoozes: until noon');
    expect(why).toContain('checked again when it wakes up');
    expect((await onPage(running)).why.rows).toEqual([
      { label: 'Last decision', value: 'not woken: it snoozes: until noon' },
      { label: 'Next', value: 'checked again when it wakes up' },
    ]);
  });
});

describe('a made-up wake setting', () => {
  it('a made-up wake setting is a flag, a body field, a column, a configuration key, and is shown', async () => {
    const agent = await cliAgent(ending);
    const running = await agent.attach();
    const enable = gateway('mail-notifier', 'enable', '--interval-seconds', '60', '--grace-seconds', '7');
    expect(await plain(agent, ...enable)).toMatch(/^grace_seconds +7$/m);
    expect((await running.call('GET', '/v1/mail-notifier')).body).toMatchObject({ grace_seconds: 7 });
    const refused = await agent.rouse(
      gateway('mail-notifier', 'enable', '--interval-seconds', '60', '--grace-seconds', '9999'),
    );
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/--grace-seconds .*from 0 to 3600/),
    ]);
    const again = await running.restart();
    expect((await again.call('GET', '/v1/mail-notifier')).body).toMatchObject({ grace_seconds: 7 });
    expect((await onPage(again)).notifier.summary).toMatch(/^woken for all open mail; .*; grace 7 s$/);
    expect(tables.wakePolicyWords({ interval_seconds: 60 })).toMatch(/; grace 5 s$/);
    const config = path.join(agent.home, 'config.toml');
    fs.writeFileSync(config, '[wake]\ngrace_seconds = 9999\n');
    const { err } = await rouse(['config'], {
      HOME: agent.home,
      ROUSE_HOME: agent.home,
      ROUSE_CONFIG: config,
    });
    expect(err).toMatch(/wake\.grace_seconds must be a whole number from 0 to 3600/);
  });
});

describe('a made-up field of reminders', () => {
  it('a made-up field of reminders is a flag and a body field, survives a restart and an edit, and is shown', async () => {
    const agent = await cliAgent(ending);
    const running = await agent.attach();
    const words = [
      '--title',
      't',
      '--mode',
      'one_off',
      '--prompt',
      'p',
      '--start-after-seconds',
      '900',
      '--ranking',
      '1',
    ];
    const made = await agent.json(
      gateway('reminders', 'create', ...words, '--durable', '--missed', 'once', '--colour', 'red'),
    );
    const [{ reminder_id: id }] = made.reminders;
    expect(await plain(agent, ...gateway('reminders', 'set', '--reminder-id', id, '--paused'))).toMatch(
      /^colour +red$/m,
    );
    const again = await running.restart();
    const { body } = await again.call('GET', `/v1/reminders/${id}`);
    expect(body).toMatchObject({ colour: 'red', paused: true });
    // As the page does when a person resumes it.
    const kept = { ...tables.definitionOf(body), paused: false };
    expect((await again.call('PUT', `/v1/reminders/${id}`, kept)).body).toMatchObject({
      colour: 'red',
      paused: false,
    });
    expect(tables.reminderWords(body)).toEqual(['kept over restarts', 'in red']);
    expect((await again.call('PUT', `/v1/reminders/${id}`, { ...kept, colour: 'green' })).status).toBe(422);
  });
});

describe('on a server with a page', () => {
  const world = new PageWorld();
  beforeAll(() => world.open({ calm: true }), 120_000);
  afterAll(() => world.shut(), 60_000);

  it('a made-up right is had by who has a role with it, and its words are on the page', async () => {
    expect(pageCodeBody.parse({ role: 'listener' })).toMatchObject({ role: 'listener' });
    const listener = await world.visit('listener' as never);
    expect(listener.session).toMatchObject({ role: 'listener', rights: ['view', 'listen'] });
    expect((await world.as(listener, 'GET', 'snapshot')).status).toBe(200);
    const refused = await world.act(listener, 'requests/0198c0de-7a2b-7e11-9c3d-0123456789ab/cancel');
    expect(refused).toMatchObject({ status: 403, body: { error: { facts: { needed: 'operate' } } } });
    expect(tables.PAGE_ROLES['listener' as 'view'].words).toBe('may listen');
    const wrong = await rouse(['dashboard', '--role', 'listen'], { HOME: world.directory });
    expect(wrong).toMatchObject({ code: 2, err: expect.stringMatching(/--role .*listener/s) });
  });

  it('a made-up ticket status is stored, open without nudges, listed, filtered, and shown in its words', async () => {
    const { sql } = world.server;
    await ensureOrg(sql, 'default');
    const { rows } = await sql.query<{ id: string }>(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id, title, status)
         SELECT gen_random_uuid(), id, 'task', 'user', 'ana', 'user', 'nina', 'made up', 'on_hold' FROM orgs LIMIT 1 RETURNING id`,
    );
    const [{ id }] = rows as [{ id: string }];
    const nina = await world.visit('operate');
    const { body } = await world.as(nina, 'GET', 'requests?view=for_me');
    const list = pageRequestList.parse(body);
    expect(list.requests).toMatchObject([
      { id, status: 'on_hold', cancellable: true, answers: ['done', 'rejected'] },
    ]);
    expect(statusWords(list.requests[0]!)).toBe('on hold');
    expect(tables.NUDGED_TICKETS).not.toContain('on_hold');
    const listed = await rouse(['requests', 'pending', '--status', 'on_hold'], await admin(world));
    expect(listed).toMatchObject({ code: 0, out: expect.stringContaining(id) });
    expect((await world.act(nina, `requests/${id}/respond`, { action: 'done' })).status).toBe(200);
  });
});
