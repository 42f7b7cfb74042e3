import { type Clock, forbidden, invalid, type Log, unavailable } from '../../base/index.ts';
import { failureOf, type GatewayClient, gatewayAfar } from '../../client/index.ts';
import type { Sql } from '../../db/index.ts';
import { readJsonIfAny } from '../../http/index.ts';
import {
  afarRoute,
  gatewayPath,
  isStorableJson,
  NOT_STORABLE,
  type WorkspaceView,
} from '../../wire/index.ts';
import type { CarryAfar } from '../agents/index.ts';
import { type AnswerWaiters, carryCall } from '../calls/index.ts';
import type { Identity } from '../identity/index.ts';
import { resolveWorkspace, viewWorkspace } from '../registry/index.ts';

export interface AfarDependencies {
  sql: Sql;
  clock: Clock;
  answers: AnswerWaiters;
  log: Log;
}

/** What is asked of a gateway elsewhere, and by whom. */
interface AskedAfar {
  who: string;
  method: string;
  path: string;
  /** The query with its `?`, or nothing. */
  search: string;
  body: () => Promise<unknown>;
  gone: AbortSignal;
}

/**
 * Carries what is on the list to the gateway of an agent on another host. Who may address the agent was decided by its org:
 * another org's agents are not found. The answer comes back with its status as it is.
 */
export function carryAfar(on: AfarDependencies): CarryAfar {
  return async (context, { caller, ref, rest }) => {
    const { id } = await resolveWorkspace(on.sql, caller?.orgId ?? null, ref);
    const { status, answer } = await carry(on, await viewWorkspace(on.sql, id), {
      who: caller === undefined ? 'owner of the server' : nameOf(caller),
      method: context.req.method,
      path: gatewayPath(rest),
      search: new URL(context.req.url).search,
      body: () => readJsonIfAny(context),
      gone: context.req.raw.signal,
    });
    return Response.json(answer, { status });
  };
}

/** The gateway of an agent on another host, for this server itself, which asks for somebody who has been let in. */
export function gatewayElsewhere(on: AfarDependencies) {
  return (workspaceId: string, who: string): GatewayClient =>
    gatewayAfar({
      async exchange({ method, path: asked, body, timeoutMs, signal }) {
        const agent = await viewWorkspace(on.sql, workspaceId);
        const [path = '', query] = asked.split('?', 2);
        const { status, answer } = await carry(on, agent, {
          ...{ who, method, path, search: query ? `?${query}` : '' },
          body: () => Promise.resolve(body),
          gone: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
        });
        if (status >= 400) throw failureOf(status, answer);
        return answer;
      },
      follow() {
        throw forbidden('events cannot be followed from another host');
      },
    });
}

async function carry(on: AfarDependencies, agent: WorkspaceView, asked: AskedAfar) {
  const { who, method, path, search, gone } = asked;
  if (!afarRoute(method, path)) throw notFromAfar(method, path, agent);
  if (!['online', 'degraded', 'paused'].includes(agent.status)) throw isAway(agent);
  const body = await asked.body();
  if (!isStorableJson(body)) throw invalid(`the body ${NOT_STORABLE}`);
  const { org_id: orgId, workspace_id: workspaceId, name, host } = agent;
  const call = { orgId, workspaceId, caller: who, method, path: path + search, body, name, host };
  const carried = await carryCall(on, call, gone);
  on.log.info('carried', { caller: who, agent: name, host, method, path, status: carried.status });
  return carried;
}

const nameOf = (caller: Identity): string =>
  caller.kind === 'agent' ? `agent ${caller.workspaceId}` : `${caller.kind} ${caller.userId}`;

const where = ({ name, host }: WorkspaceView): string => `agent ${name} on host ${host ?? 'unknown'}`;

function notFromAfar(method: string, path: string, agent: WorkspaceView): Error {
  return forbidden(`${where(agent)} cannot be asked for ${method} ${path} from another host`, {
    hint: `run the command on ${agent.host ?? 'its host'}`,
    facts: { cause: 'not_from_afar', host: agent.host },
  });
}

function isAway(agent: WorkspaceView): Error {
  return unavailable(`${where(agent)} is ${agent.status} since ${agent.since}; nothing was done`, {
    hint: 'see "rouse fleet show NAME"; its gateway must run and reach a fleet server',
    facts: { cause: 'host_away', host: agent.host, since: agent.since },
  });
}
