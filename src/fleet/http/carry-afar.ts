import { type Clock, forbidden, invalid, type Log, unavailable } from '../../base/index.ts';
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

/**
 * Carries what is on the list to the gateway of an agent on another host. Who may address the agent was decided by its org:
 * another org's agents are not found. The answer comes back with its status as it is.
 */
export function carryAfar(on: AfarDependencies): CarryAfar {
  return async (context, { caller, ref, rest }) => {
    const { id } = await resolveWorkspace(on.sql, caller?.orgId ?? null, ref);
    const agent = await viewWorkspace(on.sql, id);
    const path = gatewayPath(rest);
    const { method } = context.req;
    if (!afarRoute(method, path)) throw notFromAfar(method, path, agent);
    if (!['online', 'degraded', 'paused'].includes(agent.status)) throw isAway(agent);
    const body = await readJsonIfAny(context);
    if (!isStorableJson(body)) throw invalid(`the body ${NOT_STORABLE}`);
    const { search } = new URL(context.req.url);
    const who = caller === undefined ? 'owner of the server' : nameOf(caller);
    const { status, answer } = await carryCall(
      on,
      {
        orgId: agent.org_id,
        workspaceId: agent.workspace_id,
        caller: who,
        method,
        path: path + search,
        body,
        name: agent.name,
        host: agent.host,
      },
      context.req.raw.signal,
    );
    on.log.info('carried', { caller: who, agent: agent.name, host: agent.host, method, path, status });
    return Response.json(answer, { status });
  };
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
    hint: 'see "rouse fleet show"; its gateway must run and reach a fleet server',
    facts: { cause: 'host_away', host: agent.host, since: agent.since },
  });
}
