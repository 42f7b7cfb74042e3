import type { Context, Hono } from 'hono';
import { forbidden, newUuid } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Call, countAsHeld, type Handlers, serve } from '../../http/index.ts';
import { type BodyOf, REGISTRY_ROUTES } from '../../wire/index.ts';
import { answerCall } from '../calls/index.ts';
import { enqueue } from '../delivery/index.ts';
import type { HeldPlaces } from '../held-places.ts';
import { type AgentIdentity, type Identity, orgFor, requirePerson } from '../identity/index.ts';
import {
  changeStatus,
  findWorkspace,
  type HeldBeatDependencies,
  heldBeat,
  listWorkspaces,
  olderSession,
  registerWorkspace,
  resolveWorkspace,
  settle,
  viewWorkspace,
} from '../registry/index.ts';
import { cancelOrphans } from '../tickets/index.ts';
import { requireCaller } from './authenticate.ts';

export interface RegistryRoutes extends HeldBeatDependencies {
  /** Without a heartbeat for this long, an agent is offline. */
  livenessSeconds?: number | undefined;
  held: HeldPlaces;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Table = typeof REGISTRY_ROUTES;
type Change = 'pause' | 'resume' | 'remove';

/** Its statement also checks the token. */
export const isBeat = ({ req }: Context): boolean =>
  req.method === 'POST' && req.path === REGISTRY_ROUTES['registry.heartbeat'].path;

/** Agents: registration, heartbeats, and what people read and change. */
export function registryRoutes(app: Hono, on: RegistryRoutes): void {
  const { sql } = on;
  const handlers: Handlers<Table> = {
    'registry.register': async ({ context, body }) => register(on, requireCaller(context), await body()),
    'registry.heartbeat': async ({ context, body }) => {
      const caller = requireAgent(context);
      const beat = await body();
      const { signal } = context.req.raw;
      if (beat.wait_seconds === 0) return heldBeat(on, caller, beat, { gone: signal });
      countAsHeld(context);
      return on.held.during(caller.orgId, signal, (gone, isNeeded) =>
        heldBeat(on, caller, beat, { gone, isNeeded }),
      );
    },
    'registry.deliveries.ack': async ({ context, body }) => {
      const { workspaceId } = requireAgent(context);
      const { session_id: sessionId, ...reports } = await body();
      const workspace = await findWorkspace(sql, workspaceId);
      if (workspace?.session_id !== sessionId) throw olderSession();
      return sql.transaction((tx) => settle(tx, { workspaceId, sessionId }, reports));
    },
    'registry.calls.answer': async ({ context, params, body }) => {
      const { workspaceId } = requireAgent(context);
      const { status, answer } = await body();
      const id = UUID.test(params.call_id) ? params.call_id : newUuid();
      return { recorded: await answerCall(sql, { id, workspaceId, status, answer }) };
    },
    'registry.agents.list': async ({ context, query }) => {
      const caller = requireCaller(context);
      const { org, after, cursor, limit, ...filters } = query();
      const everywhere = caller.orgId === null && org === undefined;
      const orgId = everywhere ? null : (await orgFor(sql, caller.orgId, org)).id;
      return listWorkspaces(sql, { orgId, ...filters, after: cursor ?? after, limit: limit ?? 200 });
    },
    'registry.agents.get': async ({ context, params }) => {
      const { id } = await resolveWorkspace(sql, requireCaller(context).orgId, params.agent_ref);
      return viewWorkspace(sql, id);
    },
    'registry.agents.pause': (call) => change(on, call, 'pause'),
    'registry.agents.resume': (call) => change(on, call, 'resume'),
    'registry.agents.remove': (call) => change(on, call, 'remove'),
  };
  serve(app, REGISTRY_ROUTES, handlers);
}

async function register(
  { sql, livenessSeconds }: RegistryRoutes,
  caller: Identity,
  body: BodyOf<Table['registry.register']>,
) {
  const orgId = (await orgFor(sql, caller.orgId, body.org)).id;
  if (caller.kind === 'agent') await requireOwn(sql, caller, body);
  const parent = body.parent === undefined ? undefined : await resolveWorkspace(sql, orgId, body.parent);
  const { workspaceId, status, token } = await registerWorkspace(sql, {
    orgId,
    agentId: body.agent_id,
    name: body.name,
    tool: body.tool,
    sessionId: body.session_id,
    host: body.host,
    hostId: body.host_id,
    version: body.version,
    takeOver: body.take_over,
    by: caller,
    livenessSeconds,
    gateway: body.gateway,
    maxConcurrentTasks: body.max_concurrent_tasks,
    parentId: parent?.id,
  });
  return { workspace_id: workspaceId, org_id: orgId, status, auth_token: token };
}

async function change(
  { sql }: RegistryRoutes,
  { context, params, body }: Call<Table[`registry.agents.${Change}`]>,
  to: Change,
) {
  const person = requirePerson(requireCaller(context));
  if (to === 'remove' && person.kind !== 'admin') throw forbidden('removing an agent needs an admin token');
  const workspace = await resolveWorkspace(sql, person.orgId, params.agent_ref);
  await body();
  await changeStatus(sql, workspace, to);
  if (to === 'remove') await cancelOrphans(sql, enqueue, { workspaceId: workspace.id });
  return viewWorkspace(sql, workspace.id);
}

/**
 * An agent may register itself again only under its own name, because its mail address and public name follow from it.
 */
async function requireOwn(
  sql: Sql,
  caller: AgentIdentity,
  wanted: { agent_id: string; name: string },
): Promise<void> {
  const own = await findWorkspace(sql, caller.workspaceId);
  if (own?.agent_id !== wanted.agent_id) throw forbidden("an agent's token can register only that agent");
  if (own.name === wanted.name) return;
  throw forbidden(`the token of agent ${own.name} cannot change its name`, {
    hint: 'register it under its own name, or with the token of a person',
  });
}

function requireAgent(context: Context): AgentIdentity {
  const caller: Identity = requireCaller(context);
  if (caller.kind === 'agent') return caller;
  throw forbidden('only the agent itself may do this', {
    hint: 'send the token that registering the agent returned',
  });
}
