import type { Context, Hono } from 'hono';
import { readBody, readBytes } from '../../http/index.ts';
import { agentMail, attach, detach, localStatus } from '../../session/index.ts';
import { type ManagedAttachBody, managedAttachBody } from '../../wire/index.ts';
import { forward } from './forward.ts';
import type { RouteParts } from './route-parts.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

/** The life of an agent's gateway, and everything a live one serves, carried to it unchanged. */
export function gatewayRoutes(app: Hono, { agents, access, agentOf }: RouteParts): void {
  const { session } = agents;

  app.get('/houmao/agents/:ref/gateway', async (context) => {
    const { facts } = await agentOf(context);
    return context.json((await localStatus(session, facts)).status);
  });

  app.post('/houmao/agents/:ref/gateway/attach', async (context) => {
    access.requireGrant(context, 'launch');
    const { facts } = await agentOf(context);
    const body = await attachBody(context);
    const { status, restarted } = await attach(
      session,
      { kind: 'local', facts },
      { mode: body.execution_mode ?? undefined, timings: body.tui_tracking_timings ?? undefined },
    );
    return context.json({ ...status, restarted });
  });

  app.post('/houmao/agents/:ref/gateway/detach', async (context) => {
    access.requireGrant(context, 'launch');
    const { facts } = await agentOf(context);
    await readBytes(context, 1024);
    return context.json((await detach(session, { kind: 'local', facts })).status);
  });

  app.get('/houmao/agents/:ref/mail/resolve-live', async (context) => {
    const { facts, trackedId } = await agentOf(context);
    const live = await (await agentMail()).resolveLiveMail(session, facts.path);
    const managed = live['managed_agent'] as object;
    return context.json({
      ...live,
      managed_agent: { ...managed, mode: 'server', tracked_agent_id: trackedId },
    });
  });

  const carry = async (context: Context): Promise<Response> => {
    const { facts } = await agentOf(context);
    return forward(context, session, facts, pathBehindAgent(context));
  };
  app.on(METHODS, '/houmao/agents/:ref/gateway/*', carry);
  app.on(METHODS, '/houmao/agents/:ref/mail/*', carry);
}

/** Nothing at all is as good as an empty object. */
async function attachBody(context: Context): Promise<ManagedAttachBody> {
  const empty = context.req.header('content-length') === '0' || context.req.raw.body === null;
  return empty ? { schema_version: 1 } : readBody(context, managedAttachBody);
}

/** As it was sent: what is encoded stays encoded. `/houmao/agents/{ref}/gateway/x` → `/gateway/x`. */
function pathBehindAgent(context: Context): string {
  return `/${new URL(context.req.url).pathname.split('/').slice(4).join('/')}`;
}
