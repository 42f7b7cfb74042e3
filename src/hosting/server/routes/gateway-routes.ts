import type { Context, Hono } from 'hono';
import { isRouseError } from '../../../base/index.ts';
import { type Call, type Handlers, serve } from '../../../http/index.ts';
import { agentMail, attach, detach, localStatus } from '../../../session/index.ts';
import {
  CARRIED_ROOTS,
  CARRIED_ROUTES,
  GATEWAY_ROUTES,
  gatewayPath,
  PEOPLE_ONLY,
  type Route,
  requireCapability,
} from '../../../wire/index.ts';
import type { TrackedAgent } from '../tracked-agent.ts';
import { forward } from './forward.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

type GatewayLife = AgentRoutes<'gateway.status' | 'gateway.attach' | 'gateway.detach' | 'mail.live'>;

/** The life of an agent's gateway, and where its mail is. */
export function gatewayHandlers(parts: RouteParts): Handlers<GatewayLife> {
  const { agents, access, agentOf } = parts;
  const { session } = agents;
  return {
    'agents.gateway.status': async ({ context }) => {
      const found = await hereOrRemote(parts, context);
      return found instanceof Response ? found : (await localStatus(session, found.facts)).status;
    },
    'agents.gateway.attach': async ({ context, body }) => {
      access.requireGrant(context, 'launch');
      const { facts } = await agentOf(context);
      const { execution_mode: mode, tui_tracking_timings: timings } = await body();
      const { status, restarted } = await attach(
        session,
        { kind: 'local', facts },
        { mode: mode ?? undefined, timings: timings ?? undefined },
      );
      return { ...status, restarted };
    },
    'agents.gateway.detach': async ({ context, body }) => {
      access.requireGrant(context, 'launch');
      const { facts } = await agentOf(context);
      await body();
      return (await detach(session, { kind: 'local', facts })).status;
    },
    'agents.mail.live': async ({ context }) => {
      const { facts, trackedId } = await agentOf(context);
      const live = await (await agentMail()).resolveLiveMail(session, facts.path);
      return {
        ...live,
        managed_agent: { ...live.managed_agent, mode: 'server', tracked_agent_id: trackedId },
      };
    },
  };
}

/** Forwards everything a live gateway serves, unchanged, including routes that this version does not know. */
export function carryToGateways(app: Hono, parts: RouteParts): void {
  const carrying = Object.keys(CARRIED_ROUTES).map((id) => [
    id,
    ({ context }: Call<Route>) => carry(parts, context),
  ]);
  serve(app, CARRIED_ROUTES, Object.fromEntries(carrying) as Handlers<typeof CARRIED_ROUTES>);
  for (const root of CARRIED_ROOTS)
    app.on(METHODS, `${root.replaceAll(/\{(\w+)\}/g, ':$1')}/*`, (context) => carry(parts, context));
}

async function carry(parts: RouteParts, context: Context): Promise<Response> {
  refuseAgents(parts, context);
  const found = await hereOrRemote(parts, context);
  if (found instanceof Response) return found;
  const caller = parts.access.caller(context);
  const rest = pathBehindAgent(context);
  return forward(context, parts.agents.session, { facts: found.facts, rest, caller });
}

/** The gateway would refuse it too. Here it is refused whatever the gateway's version and host. */
function refuseAgents({ access }: RouteParts, context: Context): void {
  if (access.caller(context)?.kind !== 'agent') return;
  const asked = gatewayPath(pathBehindAgent(context));
  for (const [id, capability] of Object.entries(PEOPLE_ONLY)) {
    const { method, path } = GATEWAY_ROUTES[id as keyof typeof PEOPLE_ONLY];
    if (path === asked && method === context.req.method) requireCapability(['agent'], capability, id);
  }
}

/**
 * Returns the agent of this host, or the response of an agent on another host. If neither exists, it is not found here.
 */
async function hereOrRemote(parts: RouteParts, context: Context): Promise<TrackedAgent | Response> {
  try {
    return await parts.agentOf(context);
  } catch (error) {
    if (!parts.remote || !isRouseError(error) || error.code !== 'not_found') throw error;
    const ref = context.req.param('agent_ref') ?? '';
    const asked = { caller: parts.access.caller(context), ref, rest: pathBehindAgent(context) };
    return parts.remote(context, asked);
  }
}

/** Keeps the path as it was sent: what is encoded stays encoded. `/houmao/agents/{ref}/gateway/x` → `/gateway/x`. */
function pathBehindAgent(context: Context): string {
  return `/${new URL(context.req.url).pathname.split('/').slice(4).join('/')}`;
}
