import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Ending, newUuid } from '../../src/base/index.ts';
import { FleetClient } from '../../src/client/index.ts';
import { newMessageId } from '../../src/domain/index.ts';
import {
  createToken,
  enqueue,
  ensureOrg,
  registerWorkspace,
  type ServerConfig,
} from '../../src/fleet/index.ts';
import { type AccessRule, FLEET_ACCESS, FLEET_CALLERS } from '../../src/wire/access-rules.ts';
import { FLEET_ROUTES, fleetOpenApiDocument, prefixed, type Route } from '../../src/wire/index.ts';
import type { OpenApi } from '../support/answers.ts';
import { type FuzzedGateway, openFuzzedGateway, REFUSED_BY_GATEWAY } from '../support/fuzzed-gateway.ts';
import { fleetBodies, type Named } from '../support/good-bodies.ts';
import { startPgbouncer } from '../support/pgbouncer.ts';
import { startPostgres } from '../support/postgres.ts';
import { fuzzRoutes } from '../support/route-fuzz.ts';
import { FULL, sampled } from '../support/sample.ts';
import { StandInAgent } from './agents-stand-in.ts';
import { ServedWorld } from './served-world.ts';

/** The routes of the page need a session: page-fuzz.test.ts has them. */
const ROUTES = Object.fromEntries(
  Object.entries<Route>(FLEET_ROUTES).filter(([, { tag }]) => tag !== 'page'),
);

const COUNT = FULL ? 2000 : 200;
const SESSION = 's';

/** A token of this test that the route admits. */
const CALLERS = ['agent', 'admin', 'server admin'] as const;
type Caller = (typeof CALLERS)[number];

function admitted({ access }: Route): Caller {
  const { outcomes } = (FLEET_ACCESS as Record<string, AccessRule>)[access]!;
  return CALLERS.find((who) => outcomes[FLEET_CALLERS.findIndex(([name]) => name === who)] === 'yes')!;
}

/** Routes that launch or control agents; `ServedWorld` checks their responses against their rows. */
const NEEDS_A_TERMINAL: Record<string, number> = {
  'agents.launch': 422,
  'agents.launch.headless': 422,
  'agents.register': 409,
  'agents.stop': 404,
  'agents.relaunch': 404,
  'agents.gateway.attach': 404,
  'agents.gateway.detach': 404,
};
const NEEDS_A_HEADLESS_AGENT = Object.fromEntries(
  [
    'turns.create',
    'turns.list',
    'turns.get',
    'turns.events',
    'turns.artifact',
    'internal.prompt',
    'internal.state',
  ].map((name) => [`agents.${name}`, 422]),
);

function giveMailbox(sessionRoot: string): void {
  const file = path.join(sessionRoot, 'manifest.json');
  const manifest = JSON.parse(fs.readFileSync(file, 'utf8')) as { launch_plan: Record<string, unknown> };
  const mailbox_path = path.join(sessionRoot, '.agent');
  fs.mkdirSync(mailbox_path);
  manifest.launch_plan['mailbox'] = {
    transport: 'flatfile',
    principal_id: 'HOUMAO-own',
    address: 'own@test',
    mailbox_path,
    bindings_version: '1',
  };
  fs.writeFileSync(file, JSON.stringify(manifest));
}

type Place = Pick<ServerConfig, 'databaseUrl' | 'databaseDirectUrl'>;

async function pooledPlace(ending: Ending): Promise<Place> {
  const postgres = await startPostgres();
  ending.add(() => postgres.stop());
  const pooler = await startPgbouncer(postgres, { mode: 'transaction' });
  ending.add(() => pooler.stop());
  return { databaseUrl: pooler.urlOf(postgres.url), databaseDirectUrl: postgres.url };
}

const PLACES: [string, (ending: Ending) => Promise<Place>][] = [
  ['the embedded database', async () => ({ databaseUrl: undefined })],
  ['PostgreSQL behind PgBouncer', pooledPlace],
];

describe.each(sampled(import.meta.filename, PLACES, 1))(
  'hostile input to a fleet server on %s',
  (_, place) => {
    const world = new ServedWorld();
    const ending = new Ending();
    const databases = new Ending();
    const tokens = {} as Record<Caller, string>;
    let gateway: FuzzedGateway;
    let to: Named;
    let orgId: string;
    let other: { workspaceId: string; token: string };
    const spare = { workspace: '', token: '', dead: '', asking: '', call: '', left: '' };
    let fresh = 0;

    const sql = () => world.server.sql;
    const client = (token: string) => new FleetClient({ url: world.url, token });
    const person = async (kind: 'user' | 'admin', org: string | null, subject: string) =>
      createToken(sql(), { kind, orgId: org, subject } as Parameters<typeof createToken>[1]);
    const agent = (agentId: string) =>
      registerWorkspace(sql(), { orgId, agentId, name: agentId, sessionId: SESSION });
    const ask = async (token: string, recipient_id: string): Promise<string> => {
      const response = await fetch(`${world.url}/requests`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ kind: 'task', recipient_type: 'agent', recipient_id, title: 'please' }),
      });
      return ((await response.json()) as { request_id: string }).request_id;
    };
    const message = async (): Promise<string> => {
      const sent = { orgId, workspaceId: to.workspace, callerUser: 'ana', priority: 50, body: {} };
      return (await enqueue(sql(), sent)).id;
    };
    /** A letter with a file, in the mailbox that the server keeps for the agent. */
    const FILE = { attachment_id: 'att-1', bytes: Buffer.from('kept') };
    const letter = async (): Promise<string> => {
      await bind();
      const theirs = client(other.token);
      await theirs.call('mailbox.bind', { body: {} });
      const sha256 = createHash('sha256').update(FILE.bytes).digest('hex');
      const put = { sha256, part: 0, content_base64: FILE.bytes.toString('base64') };
      await theirs.call('mailbox.attachments.put', { body: put });
      const { attachment_id, bytes } = FILE;
      const attachments = [{ attachment_id, media_type: 'text/plain', sha256, size_bytes: bytes.length }];
      const message_id = newMessageId(new Date());
      const mail = { to: ['id-own'], subject: 's', body_content: 'b', message_id, attachments };
      await theirs.call('mailbox.send', { body: mail });
      return message_id;
    };
    const bind = () => client(tokens.agent).call('mailbox.bind', { body: {} });
    /** A remote call that the agent took. */
    const takenCall = async (): Promise<string> => {
      const id = newUuid();
      await sql().query(
        `INSERT INTO gateway_calls (id, org_id, workspace_id, caller, method, path, taken_by, taken_at, expires_at)
         VALUES ($1, $2, $3, 'user ana', 'GET', '/v1/status', $4, now(), now() + interval '1 hour')`,
        [id, orgId, to.workspace, SESSION],
      );
      return id;
    };
    /** A mailbox with a letter in it whose agent was removed. */
    const leftMailbox = async (): Promise<string> => {
      const name = `gone-${fresh++}`;
      const gone = await agent(name);
      const { address } = await client(gone.token).call('mailbox.bind', { body: {} });
      const theirs = client(other.token);
      await theirs.call('mailbox.bind', { body: {} });
      const mail = { to: [name], subject: 's', body_content: 'b', message_id: newMessageId(new Date()) };
      await theirs.call('mailbox.send', { body: mail });
      await client(tokens.admin).call('registry.agents.remove', { agent_ref: gone.workspaceId });
      const { mailboxes } = await client(tokens.admin).call('admin.mailboxes.list', {});
      return mailboxes.find((each) => each.address === address)!.mailbox_id;
    };
    /** What good calls close, remove, revoke and send again. */
    const restore = async (): Promise<void> => {
      spare.workspace = (await agent(`spare-${fresh++}`)).workspaceId;
      spare.token = (await person('user', orgId, `spare-${fresh++}`)).view.id;
      spare.dead = await message();
      await sql().query("UPDATE a2a_queue SET status = 'failed', completed_at = now() WHERE id = $1", [
        spare.dead,
      ]);
      spare.asking = await ask(tokens.agent, other.workspaceId);
      to.request = await ask(other.token, to.workspace);
      spare.call = await takenCall();
      spare.left = await leftMailbox();
      await bind();
    };

    beforeAll(async () => {
      const limits = { burst: 1e6, perSecond: 1e6 };
      const on = await place(databases);
      await world.open({ ...on, limits: { requests: limits, badTokens: limits }, calm: true });
      gateway = await openFuzzedGateway(ending);
      const standIn = await StandInAgent.open(world, 'own');
      ending.add(() => standIn.close());
      const { port, instanceId } = gateway.on.gateway;
      standIn.record({ port, instance_id: instanceId });
      giveMailbox(standIn.root);
      orgId = (await ensureOrg(sql(), 'default')).id;
      const own = await agent('id-own');
      other = await agent('id-other');
      standIn.belongsTo(own.workspaceId);
      tokens.agent = own.token;
      tokens.admin = (await person('admin', orgId, 'lead')).token;
      tokens['server admin'] = (await person('admin', null, 'root')).token;
      to = {
        agent: 'own',
        address: 'peer@test',
        message: gateway.letter,
        workspace: own.workspaceId,
        request: '',
        queued: '',
        token: '',
        directory: world.workdir,
      };
      to.queued = await message();
      to.letter = await letter();
      await restore();
    });
    afterAll(async () => {
      await ending.run();
      await world.shut();
      await databases.run();
    });

    /** All rows of all tables, but not when a token was last used, nor when who swept. */
    async function rows(): Promise<string> {
      const tables = await sql().query<{ name: string }>(
        "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'sweepers' ORDER BY 1",
      );
      const parts = tables.rows.map(
        ({ name }) =>
          `SELECT '${name}' || coalesce(md5(string_agg(r, '' ORDER BY r)), '') AS seen
           FROM (SELECT (to_jsonb(t) - 'last_used_at')::text AS r FROM "${name}" t) AS each`,
      );
      return JSON.stringify((await sql().query(parts.join(' UNION ALL '))).rows);
    }

    function known(route: Route, parameter: string): string {
      if (route.id in NEEDS_A_TERMINAL) return 'unknown';
      if (parameter === 'agent_ref') return route.path.startsWith('/registry') ? spare.workspace : to.agent;
      if (parameter === 'reminder_id') return gateway.reminder;
      if (parameter === 'workspace_id') return to.workspace;
      if (parameter === 'queue_id') return route.id === 'admin.a2a-queue.replay' ? spare.dead : to.queued;
      if (parameter === 'token_id') return spare.token;
      if (parameter === 'mailbox_id') return spare.left;
      if (parameter === 'call_id') return spare.call;
      if (parameter === 'message_id') return to.letter!;
      if (parameter === 'attachment_id') return FILE.attachment_id;
      if (parameter === 'name') return 'delivery-upkeep';
      if (route.path.startsWith('/houmao')) return gateway.request;
      return route.id === 'workspace_requests.cancel' ? spare.asking : to.request;
    }

    it(`${COUNT} spoilt requests over every route: no 5xx, no change on refusal, every answer as its row says`, {
      timeout: 3_600_000,
    }, async () => {
      const words = 'x';
      const bodies = fleetBodies(to, words, { tool: '/no/such/tool', args: [] });
      const { statuses, passed } = await fuzzRoutes(
        {
          routes: ROUTES,
          document: fleetOpenApiDocument() as unknown as OpenApi,
          bodies: {
            ...bodies,
            'registry.heartbeat': { ...bodies['registry.heartbeat'], session_id: SESSION, wait_seconds: 0 },
            'registry.deliveries.ack': { session_id: SESSION, acks: [], outcomes: [], turns: [] },
            'requests.create': {
              ...bodies['requests.create'],
              recipient_id: other.workspaceId,
              idempotency_key: 'k',
            },
            'admin.tokens.create': { kind: 'user', subject: words, grants: [], expires_in_seconds: 60 },
          },
          port: world.server.port,
          headersFor: (route) => ({
            authorization: `Bearer ${tokens[admitted(route)]}`,
            ...(route.id === 'mcp' && { accept: 'application/json, text/event-stream' }),
          }),
          known,
          refused: {
            ...NEEDS_A_TERMINAL,
            ...NEEDS_A_HEADLESS_AGENT,
            ...prefixed('agents.gateway', REFUSED_BY_GATEWAY),
            ...(sql().dialect === 'postgres' && { 'admin.backup': 422 }),
          },
          unavailable: ['program_missing'],
          unspoilt: ['agents.shutdown'],
          quiet: async () =>
            createHash('sha256')
              .update((await gateway.quiet()) + (await rows()))
              .digest('hex'),
          restore: async ({ id }) => {
            if (/respond|cancel|remove|revoke|replay|drop-stale|unbind|handOver/.test(id)) await restore();
          },
        },
        COUNT,
      );
      expect(passed).toBeGreaterThan(0.1);
      expect(passed).toBeLessThan(0.8);
      for (const status of [404, 422]) expect([...statuses.keys()]).toContain(status);
      await world.server.stopped;
    });
  },
);
