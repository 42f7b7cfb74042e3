import type { Context, Hono } from 'hono';
import { type Handlers, readBytes } from '../../../http/index.ts';
import { agentMail, attach, detach, localStatus } from '../../../session/index.ts';
import { CARRIED_ROOTS } from '../../../wire/index.ts';
import { forward } from './forward.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

type GatewayLife = AgentRoutes<'gateway.status' | 'gateway.attach' | 'gateway.detach' | 'mail.live'>;

/** The life of an agent's gateway, and where its mail is. */
export function gatewayHandlers({ agents, access, agentOf }: RouteParts): Handlers<GatewayLife> {
  const { session } = agents;
  return {
    'agents.gateway.status': async ({ context }) => {
      const { facts } = await agentOf(context);
      return (await localStatus(session, facts)).status;
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
export function carryToGateways(app: Hono, { agents: { session }, agentOf }: RouteParts): void {
  for (const root of CARRIED_ROOTS) {
    app.on(METHODS, `${root.replaceAll(/\{(\w+)\}/g, ':$1')}/*`, async (context) => {
      const { facts } = await agentOf(context);
      return forward(context, session, facts, pathBehindAgent(context));
    });
  }
}

/** As it was sent: what is encoded stays encoded. `/houmao/agents/{ref}/gateway/x` → `/gateway/x`. */
function pathBehindAgent(context: Context): string {
  return `/${new URL(context.req.url).pathname.split('/').slice(4).join('/')}`;
}
