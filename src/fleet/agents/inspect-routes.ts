import type { Hono } from 'hono';
import { queryNumber, readBody, readBytes, readOptionalBody } from '../../http/index.ts';
import { listAgents, stopAnswer } from '../../session/index.ts';
import { agentRequestBody, managedRelaunchBody, managedStopBody } from '../../wire/index.ts';
import { requestAgent } from './agent-requests.ts';
import { agentDetail, agentState, clientOf } from './agent-state.ts';
import { handedOver } from './launch-routes.ts';
import type { ManagedAgents } from './managed-agents.ts';
import type { RouteParts } from './route-parts.ts';
import { identityView, isServedHeadless, type TrackedAgent } from './tracked-agent.ts';
import { turnViewOf } from './turn-store.ts';

/** Which agents there are, what they do, and what may be asked of any of them. */
export function inspectRoutes(app: Hono, { agents, access, agentOf }: RouteParts): void {
  app.get('/houmao/agents', async (context) => {
    access.caller(context);
    return context.json(await listView(agents, (all) => access.visible(context, all)));
  });

  app.get('/houmao/agents/:ref', async (context) => {
    const agent = await agentOf(context);
    const { identity, ...state } = await agentState(agents, agent);
    return context.json({ ...(identity as object), ...state, identity });
  });

  app.get('/houmao/agents/:ref/state', async (context) =>
    context.json(await agentState(agents, await agentOf(context))),
  );

  app.get('/houmao/agents/:ref/state/detail', async (context) =>
    context.json(await agentDetail(agents, await agentOf(context))),
  );

  app.get('/houmao/agents/:ref/history', async (context) => {
    const limit = queryNumber(context, 'limit', { min: 1, max: 1000 }) ?? 100;
    return context.json(await historyView(agents, await agentOf(context), limit));
  });

  app.post('/houmao/agents/:ref/requests', async (context) => {
    const agent = await agentOf(context);
    return context.json(await requestAgent(agents, agent, await readBody(context, agentRequestBody)));
  });

  app.post('/houmao/agents/:ref/interrupt', async (context) => {
    const agent = await agentOf(context);
    await readBytes(context, 1024);
    return context.json(await requestAgent(agents, agent, { schema_version: 1, request_kind: 'interrupt' }));
  });

  app.post('/houmao/agents/:ref/stop', async (context) => {
    access.requireGrant(context, 'launch');
    const agent = await agentOf(context);
    const { kill_session: killSession } = await readOptionalBody(context, managedStopBody);
    const report = await agents.stop(agent, { killSession });
    return context.json({ schema_version: 1, ...stopAnswer(report), ...identityView(agent) });
  });

  app.post('/houmao/agents/:ref/relaunch', async (context) => {
    access.requirePerson(context);
    const body = await readBody(context, managedRelaunchBody);
    if (body.environment_file == null) access.requireGrant(context, 'launch');
    const agent = await agentOf(context);
    const handed = await handedOver(agents, body.environment_file);
    const report = await agents.relaunch(agent, handed);
    const detail = report.revived
      ? 'its tmux session was gone and was made again'
      : 'a new instance runs in window 0';
    return context.json({
      ...{ schema_version: 1, status: 'ok', action: 'relaunch', detail, notes: report.notes },
      ...{ revived: report.revived, tool_pid: report.toolPid, ...identityView(agent) },
    });
  });
}

async function listView(
  agents: ManagedAgents,
  visible: (all: TrackedAgent[]) => Promise<TrackedAgent[]>,
): Promise<Record<string, unknown>> {
  const listed = await listAgents(agents.session);
  const tracked = await visible(await agents.list());
  const rows = tracked.flatMap((agent) => {
    const row = listed.agents.find((each) => each.manifest_path === agent.facts.path);
    return row ? [{ ...row, ...identityView(agent) }] : [];
  });
  return { schema_version: 1, agents: rows, malformed_records: listed.malformed_records };
}

/** Of a terminal: what its gateway saw, newest last. Of a headless agent: its turns. Nothing was seen without a gateway. */
async function historyView(
  agents: ManagedAgents,
  agent: TrackedAgent,
  limit: number,
): Promise<Record<string, unknown>> {
  const head = { schema_version: 1, tracked_agent_id: agent.trackedId };
  if (isServedHeadless(agent)) {
    const turns = (await agents.turnsOf(agent)).all().slice(-limit).map(turnViewOf);
    return { ...head, observed_by: 'server', entries: turns };
  }
  const client = await clientOf(agents, agent);
  if (!client) return { ...head, observed_by: null, entries: [] };
  if (identityView(agent).transport === 'headless') {
    const { requests } = await client.requests({ limit });
    return { ...head, observed_by: 'gateway', entries: [...requests].reverse() };
  }
  const { entries } = await client.tuiHistory(limit);
  return { ...head, observed_by: 'gateway', entries };
}
