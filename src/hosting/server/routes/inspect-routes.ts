import { commandLine, unavailable } from '../../../base/index.ts';
import type { Handlers } from '../../../http/index.ts';
import { listAgents, stopAnswer } from '../../../session/index.ts';
import type { AnswerOf } from '../../../wire/index.ts';
import { requestAgent } from '../agent-requests.ts';
import { agentDetail, agentState, clientOf } from '../agent-state.ts';
import { requestEntry, screenEntry, turnEntry } from '../agent-views.ts';
import type { ManagedAgents } from '../managed-agents.ts';
import { identityView, isServedHeadless, type TrackedAgent } from '../tracked-agent.ts';
import { turnViewOf } from '../turns/turn-view.ts';
import { handedOver } from './launch-routes.ts';
import type { AgentRoutes, RouteParts } from './route-parts.ts';

type Inspecting = AgentRoutes<
  'list' | 'get' | 'state' | 'state.detail' | 'history' | 'requests' | 'interrupt' | 'stop' | 'relaunch'
>;

/** Lists agents, shows what they do, and takes requests that any of them accepts. */
export function inspectHandlers({ agents, access, agentOf }: RouteParts): Handlers<Inspecting> {
  return {
    'agents.list': ({ context }) => {
      access.caller(context);
      return listView(agents, (all) => access.visible(context, all));
    },
    'agents.get': async ({ context }) => {
      const { identity, ...state } = await agentState(agents, await agentOf(context));
      return { ...identity, ...state, identity };
    },
    'agents.state': async ({ context }) => agentState(agents, await agentOf(context)),
    'agents.state.detail': async ({ context }) => agentDetail(agents, await agentOf(context)),
    'agents.history': async ({ context, query }) => {
      const { limit } = query();
      return historyView(agents, await agentOf(context), limit);
    },
    'agents.requests': async ({ context, body }) => {
      const agent = await agentOf(context);
      return requestAgent(agents, agent, await body());
    },
    'agents.interrupt': async ({ context, body }) => {
      const agent = await agentOf(context);
      await body();
      const answer = await requestAgent(agents, agent, { schema_version: 1, request_kind: 'interrupt' });
      return { ...answer, ...actedOn(agent), turn_id: answer.headless_turn_id };
    },
    'agents.stop': async ({ context, body }) => {
      access.requireGrant(context, 'launch');
      const agent = await agentOf(context);
      const { kill_session: killSession } = await body();
      const report = await agents.stop(agent, { killSession });
      return {
        ...{ success: true, schema_version: 1, turn_id: null },
        ...stopAnswer(report),
        ...identityView(agent),
      };
    },
    'agents.relaunch': async ({ context, body }) => {
      access.requirePerson(context);
      const { environment_file: file } = await body();
      if (file == null) access.requireGrant(context, 'launch');
      const agent = await agentOf(context);
      const back = await agents.relaunch(agent, await handedOver(agents, file));
      const { revived, toolPid, attachError } = back;
      const notes = [
        ...back.notes,
        ...(attachError ? [`its gateway was not attached: ${attachError.message}`] : []),
      ];
      const detail = revived
        ? 'its tmux session was gone and was created again'
        : 'a new instance runs in window 0';
      return {
        ...{ schema_version: 1, status: 'ok', action: 'relaunch', detail, notes },
        ...{ revived, tool_pid: toolPid, ...identityView(agent) },
      };
    },
  };
}

/** Where the session is that was acted on. */
const actedOn = ({ facts }: TrackedAgent) => ({ manifest_path: facts.path, session_root: facts.root });

async function listView(
  agents: ManagedAgents,
  visible: (all: TrackedAgent[]) => Promise<TrackedAgent[]>,
): Promise<AnswerOf<Inspecting['agents.list']>> {
  const listed = await listAgents(agents.session);
  const tracked = await visible(await agents.list());
  const rows = tracked.flatMap((agent) => {
    const row = listed.agents.find((each) => each.manifest_path === agent.facts.path);
    return row ? [{ ...row, ...identityView(agent) }] : [];
  });
  return { schema_version: 1, agents: rows, malformed_records: listed.malformed_records };
}

/** For a terminal: what its gateway saw, newest last. For a headless agent: its turns. Empty without a gateway. */
async function historyView(
  agents: ManagedAgents,
  agent: TrackedAgent,
  limit: number,
): Promise<AnswerOf<Inspecting['agents.history']>> {
  const head = { schema_version: 1 as const, tracked_agent_id: agent.trackedId };
  if (isServedHeadless(agent)) {
    const turns = (await agents.turnsOf(agent)).all().slice(-limit);
    const entries = turns.map((turn) => turnEntry(turnViewOf(turn, agent.facts.root)));
    return { ...head, observed_by: 'server', entries };
  }
  const client = await clientOf(agents, agent);
  if (!client) return { ...head, observed_by: null, entries: [] };
  if (identityView(agent).transport === 'headless') {
    const { requests } = await client.call('requests.list', { limit });
    requireList(requests, agent);
    return { ...head, observed_by: 'gateway', entries: requests.map(requestEntry).reverse() };
  }
  const { entries } = await client.call('tui.history', { limit });
  requireList(entries, agent);
  return { ...head, observed_by: 'gateway', entries: entries.map(screenEntry) };
}

/** A process that took the gateway's port may return anything. */
function requireList(list: unknown, { facts }: TrackedAgent): void {
  if (Array.isArray(list)) return;
  throw unavailable(`the gateway of ${facts.agentName} returned no history`, {
    hint: commandLine`look at it with "rouse agents gateway status ${facts.agentName}"`,
  });
}
