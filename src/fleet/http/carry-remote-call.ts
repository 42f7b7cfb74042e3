import { type Clock, forbidden, invalid, type Log, unavailable } from '../../base/index.ts';
import { failureOf, type GatewayClient, remoteGateway } from '../../client/index.ts';
import type { Sql } from '../../db/index.ts';
import { WORKSPACE_STATUSES } from '../../domain/index.ts';
import { readJsonIfAny } from '../../http/index.ts';
import {
  gatewayPath,
  isStorableJson,
  NOT_STORABLE,
  remoteRoute,
  type WorkspaceView,
} from '../../wire/index.ts';
import { type AnswerWaiters, carryCall } from '../calls/index.ts';
import type { CarryRemoteCall } from '../hosting.ts';
import type { Identity } from '../identity/index.ts';
import { resolveWorkspace, viewWorkspace } from '../registry/index.ts';

export interface RemoteCallDependencies {
  sql: Sql;
  clock: Clock;
  answers: AnswerWaiters;
  log: Log;
}

/** A request to a gateway on another host, and who sends it. */
interface RemoteCall {
  who: string;
  method: string;
  path: string;
  /** The query with its `?`, or empty. */
  search: string;
  body: () => Promise<unknown>;
  gone: AbortSignal;
}

/**
 * Carries the routes of the list to the gateway of an agent on another host. The org decides who may address the agent:
 * agents of another org are not found. The response keeps its status.
 */
export function carryRemoteCall(on: RemoteCallDependencies): CarryRemoteCall {
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

/** Returns the gateway of an agent on another host, for this server itself, which asks for a caller it has let in. */
export function gatewayElsewhere(on: RemoteCallDependencies) {
  return (workspaceId: string, who: string): GatewayClient =>
    remoteGateway({
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

async function carry(on: RemoteCallDependencies, agent: WorkspaceView, asked: RemoteCall) {
  const { who, method, path, search, gone } = asked;
  if (!remoteRoute(method, path)) throw notRemote(method, path, agent);
  if (!WORKSPACE_STATUSES[agent.status].answers) throw isAway(agent);
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

function notRemote(method: string, path: string, agent: WorkspaceView): Error {
  return forbidden(`${where(agent)} does not allow ${method} ${path} from another host`, {
    hint: `run the command on ${agent.host ?? 'its host'}`,
    facts: { cause: 'not_from_afar', host: agent.host },
  });
}

function isAway(agent: WorkspaceView): Error {
  return unavailable(`${where(agent)} has been ${agent.status} since ${agent.since}; nothing was done`, {
    hint: 'see "rouse fleet show NAME"; its gateway must run and reach a fleet server',
    facts: { cause: 'host_away', host: agent.host, since: agent.since },
  });
}
