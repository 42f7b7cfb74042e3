import type { Context, Hono } from 'hono';
import { forbidden } from '../../base/index.ts';
import { readBody } from '../../http/index.ts';
import { ackBody, heartbeatBody, parseBody, registerBody, workspaceListQuery } from '../../wire/index.ts';
import { enqueue } from '../delivery/index.ts';
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
  type Workspace,
} from '../registry/index.ts';
import { cancelOrphans } from '../requests/index.ts';
import { requireCaller } from './authenticate.ts';
import { numbered } from './query-numbers.ts';

export interface RegistryRoutes extends HeldBeatDependencies {
  /** Without a heartbeat for this long, an agent is offline. */
  livenessSeconds?: number | undefined;
}

/** Agents: registration, heartbeats, and what people look at and change. */
export function registryRoutes(app: Hono, on: RegistryRoutes): void {
  const { sql } = on;
  app.post('/registry/register', async (context) => {
    const caller = requireCaller(context);
    const body = await readBody(context, registerBody);
    const orgId = (await orgFor(sql, caller.orgId, body.org)).id;
    if (caller.kind === 'agent') await requireOwn(caller, body.agent_id);
    const parent = body.parent === undefined ? undefined : await resolveWorkspace(sql, orgId, body.parent);
    const { workspaceId, status, token } = await registerWorkspace(sql, {
      orgId,
      agentId: body.agent_id,
      name: body.name,
      tool: body.tool,
      sessionId: body.session_id,
      host: body.host,
      takeOver: body.take_over,
      by: caller,
      livenessSeconds: on.livenessSeconds,
      gateway: body.gateway,
      maxConcurrentTasks: body.max_concurrent_tasks,
      parentId: parent?.id,
    });
    return context.json({ workspace_id: workspaceId, org_id: orgId, status, auth_token: token });
  });

  app.post('/registry/heartbeat', async (context) => {
    const caller = requireAgent(context);
    const body = await readBody(context, heartbeatBody);
    return context.json(await heldBeat(on, caller, body, context.req.raw.signal));
  });

  app.post('/registry/deliveries/ack', async (context) => {
    const { workspaceId } = requireAgent(context);
    const { session_id: sessionId, ...told } = await readBody(context, ackBody);
    const workspace = await findWorkspace(sql, workspaceId);
    if (workspace?.session_id !== sessionId) throw olderSession();
    return context.json(await sql.transaction((tx) => settle(tx, { workspaceId, sessionId }, told)));
  });

  app.get('/registry/agents', async (context) => {
    const caller = requireCaller(context);
    const { org, status, after, cursor, limit } = parseBody(
      workspaceListQuery,
      numbered(context.req.query()),
      'query',
    );
    const everywhere = caller.orgId === null && org === undefined;
    const orgId = everywhere ? null : (await orgFor(sql, caller.orgId, org)).id;
    const page = await listWorkspaces(sql, { orgId, status, after: cursor ?? after, limit: limit ?? 200 });
    return context.json(page);
  });

  app.get('/registry/agents/:ref', async (context) => {
    const { id } = await resolveWorkspace(sql, requireCaller(context).orgId, context.req.param('ref'));
    return context.json(await viewWorkspace(sql, id));
  });

  for (const change of ['pause', 'resume', 'remove'] as const) {
    app.post(`/registry/agents/:ref/${change}`, async (context) => {
      const person = requirePerson(requireCaller(context));
      if (change === 'remove' && person.kind !== 'admin')
        throw forbidden('removing an agent needs an admin token');
      const workspace = await resolveWorkspace(sql, person.orgId, context.req.param('ref'));
      await changeStatus(sql, workspace, change);
      if (change === 'remove') await cancelOrphans(sql, enqueue, { workspaceId: workspace.id });
      return context.json(await viewWorkspace(sql, workspace.id));
    });
  }

  /** An agent may register itself anew, nobody else. */
  async function requireOwn(caller: AgentIdentity, agentId: string): Promise<void> {
    const own: Workspace | undefined = await findWorkspace(sql, caller.workspaceId);
    if (own?.agent_id !== agentId) throw forbidden('the token of an agent registers that agent only');
  }
}

function requireAgent(context: Context): AgentIdentity {
  const caller: Identity = requireCaller(context);
  if (caller.kind === 'agent') return caller;
  throw forbidden('only an agent speaks for itself here', {
    hint: 'send the token that registering the agent answered',
  });
}
