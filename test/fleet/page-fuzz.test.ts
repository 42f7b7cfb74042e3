import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending, systemClock } from '../../src/base/index.ts';
import { openSqlite } from '../../src/db/index.ts';
import { OPERATOR } from '../../src/domain/index.ts';
import { createToken, ensureOrg, registerWorkspace } from '../../src/fleet/index.ts';
import { INDEX_MIGRATIONS } from '../../src/mail/filesystem/root/index-schema.ts';
import { ANY_FILE, initMailStore } from '../../src/mail/index.ts';
import { PAGE_HEADER, PAGE_ROUTES, PAGE_SHELL_ROUTES, type Route } from '../../src/wire/index.ts';
import { PageWorld, type Visitor } from '../page/page-world.ts';
import { type FuzzedGateway, openFuzzedGateway } from '../support/fuzzed-gateway.ts';
import { pageBodies } from '../support/good-bodies.ts';
import { fuzzRoutes } from '../support/route-fuzz.ts';
import { FULL } from '../support/sample.ts';
import { StandInAgent } from './agents-stand-in.ts';

const COUNT = FULL ? 2000 : 150;
/** The documents are the same for every requested name; a spoilt file name (`..`) leads home. */
const ROUTES = {
  'page.shell.home': PAGE_SHELL_ROUTES['page.shell.home'],
  'page.shell.asset': PAGE_SHELL_ROUTES['page.shell.asset'],
  ...PAGE_ROUTES,
};
const WRITER = 'own@test';
/** A placeholder in bodies for the unique id of a click. */
const CLICK = '00000000-0000-4000-8000-000000000000';

describe('hostile input to the page', () => {
  const world = new PageWorld();
  const ending = new Ending();
  const there = { code: '', request: '', asked: '', reminder: '', asset: '', message: '', attachment: '' };
  let gateway: FuzzedGateway;
  let me: Visitor;
  let agent: { workspaceId: string; token: string };
  let person: string;
  let mail: ReturnType<typeof openSqlite>;

  const ask = async (token: string, body: object): Promise<string> => {
    const response = await fetch(`${world.url}/requests`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'task', title: 'please', ...body }),
    });
    return ((await response.json()) as { request_id: string }).request_id;
  };
  /** Creates again what good calls close, remove, use up and revoke. */
  const restore = async (): Promise<void> => {
    me = await world.visit('operate', 'nina');
    there.code = await world.code({ name: 'olga' });
    there.request = await ask(agent.token, { recipient_type: 'user' });
    there.asked = await ask(person, { recipient_type: 'agent', recipient_id: agent.workspaceId });
    const reminder = { mode: 'one_off', title: 't', prompt: 'p', ranking: 1, start_after_seconds: 60 };
    const made = await gateway.on.call('POST', '/v1/reminders', { reminders: [reminder] });
    there.reminder = made.body.reminders[0].reminder_id as string;
  };

  /** An agent of this host whose gateway is the fuzzed one, with its ledger. */
  async function openAgent(): Promise<void> {
    gateway = await openFuzzedGateway(ending);
    const standIn = await StandInAgent.open(world, 'own');
    ending.add(() => standIn.close());
    const { port, instanceId } = gateway.on.gateway;
    standIn.record({ port, instance_id: instanceId });
    const ledger = path.join('gateway', 'queue.sqlite');
    fs.symlinkSync(path.join(gateway.on.root, ledger), path.join(standIn.root, ledger));
    const { id: orgId } = await ensureOrg(world.server.sql, 'default');
    agent = await registerWorkspace(world.server.sql, {
      orgId,
      agentId: 'id-own',
      name: 'own',
      sessionId: 's',
    });
    const made = { kind: 'user', orgId, subject: 'nina' } as Parameters<typeof createToken>[1];
    person = (await createToken(world.server.sql, made)).token;
  }

  async function writeMail(): Promise<void> {
    const root = world.context.settings.mailboxDir;
    const store = initMailStore({ root, clock: systemClock });
    store.register({ address: WRITER, owner_principal_id: 'HOUMAO-own', mode: 'safe' });
    const file = path.join(world.workdir, 'notes.txt');
    fs.writeFileSync(file, 'notes');
    const attachments = [{ path: file, label: 'notes.txt', copy: true }];
    const sent = await store
      .mailbox(WRITER)
      .send({ to: [OPERATOR.address], subject: 's', body_content: 'b', attachments }, ANY_FILE);
    there.message = sent.message.message_ref;
    there.attachment = sent.message.attachments[0]!.attachment_id;
    await store.close();
    mail = openSqlite({
      file: path.join(root, 'index.sqlite'),
      readOnly: true,
      migrations: INDEX_MIGRATIONS,
    });
    ending.add(() => mail.close());
  }

  beforeAll(async () => {
    const limits = { burst: 1e6, perSecond: 1e6 };
    await world.open({ limits: { requests: limits, badTokens: limits }, calm: true });
    await openAgent();
    await writeMail();
    const [asset] = fs.readdirSync(path.join(import.meta.dirname, '../../dist/page/assets'));
    there.asset = asset!;
    await restore();
  });
  afterAll(async () => {
    await ending.run();
    await world.shut();
  });

  /** All rows of all tables, except the audit, which records refusals too, and the sweeps. */
  async function rows(): Promise<string> {
    const { sql } = world.server;
    const tables = await sql.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('sweepers', 'page_audit') ORDER BY 1",
    );
    const parts = tables.rows.map(
      ({ name }) =>
        `SELECT '${name}' || coalesce(md5(string_agg(r, '' ORDER BY r)), '') AS seen
           FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS r FROM "${name}" t) AS each`,
    );
    return JSON.stringify((await sql.query(parts.join(' UNION ALL '))).rows);
  }

  function known(route: Route, parameter: string): string {
    if (parameter === 'name') return 'own';
    if (parameter === 'file') return there.asset;
    if (parameter === 'reminder_id') return there.reminder;
    if (parameter === 'ref' || route.id === 'page.agent.cancel') return gateway.request;
    return route.id === 'page.request.cancel' ? there.asked : there.request;
  }

  it(`${COUNT} spoilt requests over every route: no 5xx, no change on refusal, every answer as its row says`, {
    timeout: 3_600_000,
  }, async () => {
    const to = { address: OPERATOR.address, message: there.message } as Parameters<typeof pageBodies>[0];
    const bodies = Object.fromEntries(
      Object.entries(pageBodies(to, 'x')).map(([id, body]) => [
        id,
        'action_id' in body ? { ...body, action_id: CLICK } : body,
      ]),
    );
    const message = new URLSearchParams({ mailbox: OPERATOR.address, ref: there.message });
    const { statuses, passed } = await fuzzRoutes(
      {
        routes: ROUTES,
        bodies: { ...bodies, 'page.login': { code: 'CODE' } },
        queries: {
          'page.mail.message': `?${message}`,
          'page.mail.receipts': `?${new URLSearchParams({ mailbox: OPERATOR.address, thread: there.message })}`,
          'page.mail.thread': `?${new URLSearchParams({ mailbox: OPERATOR.address, thread: there.message })}`,
          'page.mail.attachment': `?${message}&attachment=${encodeURIComponent(there.attachment)}`,
          'page.day': '?from=2026-01-31T00:00:00Z&to=2026-02-01T00:00:00Z',
          'page.reminders.next': '?cron=0+9+*+*+1-5',
          'page.search': '?q=notes',
          'page.several': '?ask=mailboxes%0Asearch%3Fq%3Dnotes',
        },
        prepare: (body) => body.replaceAll(CLICK, randomUUID()).replaceAll('"CODE"', `"${there.code}"`),
        port: world.server.port,
        headersFor: ({ access }): Record<string, string> =>
          access === 'page_session' ? { cookie: me.cookie, [PAGE_HEADER]: me.header } : {},
        known,
        // It shows no dialog, its earlier requests have ended, these reminders are not there, and this session may stop and
        // start nothing.
        refused: {
          'page.reminders.order': 409,
          'page.reminders.restore': 404,
          'page.agent.dialog': 409,
          'page.agent.cancel': 409,
          'page.agent.stop': 403,
          'page.agent.relaunch': 403,
          'page.agent.attach': 403,
          // The owner has not added Web Push here.
          'page.push.add': 404,
          'page.push.remove': 404,
        },
        quiet: async () =>
          createHash('sha256')
            .update(
              (await gateway.quiet()) + (await rows()) + JSON.stringify(mail.get('PRAGMA data_version')),
            )
            .digest('hex'),
        restore: async ({ id }) => {
          if (/respond|cancel|delete|revoke|login|logout/.test(id)) await restore();
        },
      },
      COUNT,
    );
    expect(passed).toBeGreaterThan(0.1);
    expect(passed).toBeLessThan(0.8);
    for (const status of [404, 422]) expect([...statuses.keys()]).toContain(status);
  });
});
