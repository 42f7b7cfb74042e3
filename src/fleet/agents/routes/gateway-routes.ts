import type { Context, Hono } from 'hono';
import { isRouseError } from '../../../base/index.ts';
import { type Handlers, readBytes } from '../../../http/index.ts';
import { agentMail, attach, detach, localStatus } from '../../../session/index.ts';
import { CARRIED_ROOTS } from '../../../wire/index.ts';
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
      const found = await hereOrAfar(parts, context);
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
    'agents.gateway.detach': async ({ context }) => {
      access.requireGrant(context, 'launch');
      const { facts } = await agentOf(context);
      await readBytes(context, 1024);
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

/** Everything a live gateway serves, carried to it unchanged. */
export function carryToGateways(app: Hono, parts: RouteParts): void {
  const { session } = parts.agents;
  for (const root of CARRIED_ROOTS) {
    app.on(METHODS, `${root.replaceAll(/\{(\w+)\}/g, ':$1')}/*`, async (context) => {
      const found = await hereOrAfar(parts, context);
      if (found instanceof Response) return found;
      return forward(context, session, found.facts, pathBehindAgent(context));
    });
  }
}

/** The agent of this host, or the answer of one elsewhere in the fleet. What neither knows is not found here. */
async function hereOrAfar(parts: RouteParts, context: Context): Promise<TrackedAgent | Response> {
  try {
    return await parts.agentOf(context);
  } catch (error) {
    if (!parts.afar || !isRouseError(error) || error.code !== 'not_found') throw error;
    const ref = context.req.param('agent_ref') ?? '';
    const asked = { caller: parts.access.caller(context), ref, rest: pathBehindAgent(context) };
    return parts.afar(context, asked);
  }
}

/** As it was sent: what is encoded stays encoded. `/houmao/agents/{ref}/gateway/x` → `/gateway/x`. */
function pathBehindAgent(context: Context): string {
  return `/${new URL(context.req.url).pathname.split('/').slice(4).join('/')}`;
}
