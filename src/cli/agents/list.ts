import type { AgentList, ListedAgent, Roster, RosterAgent } from '../../session/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { WATCH } from '../ls/ls.ts';
import {
  NO_AGENTS,
  needsLines,
  rosterText,
  stateWords,
  waitingWords,
  wakesWords,
} from '../ls/roster-table.ts';
import { type Column, table } from '../print/table.ts';
import { PAIR_PORT, sessionContext } from './target.ts';

type FleetAgent = Omit<ListedAgent, 'short_name' | 'project' | 'branch'>;

const PLACES: Column<FleetAgent>[] = [
  { title: 'gateway', value: (agent) => agent.gateway },
  { title: 'port', value: (agent) => agent.gateway_port, right: true },
  { title: 'tmux session', value: (agent) => agent.tmux_session_name },
  { title: 'mail address', value: (agent) => agent.mail_address },
];

const AT_FLEET: Column<FleetAgent>[] = [
  { title: 'name', value: (agent) => agent.agent_name },
  { title: 'tool', value: (agent) => agent.tool },
  { title: 'backend', value: (agent) => agent.backend },
  { title: 'session', value: sessionWords },
  ...PLACES,
];

/** An agent of this host with what its gateway has recorded about it. */
type Known = ListedAgent &
  Omit<RosterAgent, 'name' | 'called' | 'directory' | 'id' | 'host' | 'gateway'> & { seen: RosterAgent };

const HERE: Column<Known>[] = [
  { title: 'name', value: (agent) => agent.agent_name },
  { title: 'project', value: ({ project }) => project?.name },
  { title: 'tool', value: (agent) => agent.tool },
  { title: 'state', value: ({ seen }) => stateWords(seen) },
  { title: 'mail', value: ({ open_mail }) => open_mail, right: true },
  { title: 'wakes', value: ({ seen }) => wakesWords(seen), right: true },
  { title: 'waits for', value: ({ seen }) => waitingWords(seen) },
  ...PLACES,
];

/** A session may live although only a shell is left in it. */
function sessionWords({ session, tool_connectivity }: FleetAgent): string {
  return session === 'running' && tool_connectivity === 'unavailable' ? 'running, tool gone' : session;
}

async function run(input: InputOf<typeof FLAGS>): Promise<Output | void> {
  const port = input.flags.pairPort;
  if (port !== undefined) return atFleet(input, port);
  if (input.flags.watch) return (await import('../ls/roster-watch.ts')).watchRoster(input);
  const { listAgents, roster } = await import('../../session/index.ts');
  const list = await listAgents(sessionContext(input));
  const seen = await roster(sessionContext(input));
  const agents = list.agents.map((agent) => known(agent, seen));
  const body = agents.length > 0 ? table(agents, HERE) : NO_AGENTS;
  const below = [...needsLines(seen.agents, input), ...notes(list)];
  return {
    data: { ...list, agents: agents.map(({ seen: _, ...facts }) => facts) },
    plain: [body, ...below].join('\n'),
    fancy: [rosterText(seen, { ...input, style: 'fancy' }), ...notes(list)].join('\n'),
  };
}

async function atFleet(input: InputOf<typeof FLAGS>, port: number): Promise<Output> {
  const { listAtFleet, fleetServerOn } = await (await import('../../session/index.ts')).fleetActions();
  const data = await listAtFleet(fleetServerOn(port, input.env));
  return { data, plain: data.agents.length > 0 ? table(data.agents, AT_FLEET) : 'no agents' };
}

/** An agent that was stopped between the two queries is shown as gone. */
function known(agent: ListedAgent, { agents }: Roster): Known {
  const found = agents.find(({ id }) => id === agent.agent_id) ?? goneAgent(agent);
  const { name: _1, called: _2, directory: _3, id: _4, host: _5, gateway: _6, ...seen } = found;
  return { ...seen, ...agent, seen: found };
}

function goneAgent({
  agent_name,
  agent_id,
  tool,
  short_name,
  project,
  working_directory,
  branch,
}: ListedAgent): RosterAgent {
  return {
    ...{ short_name, called: agent_name, project, directory: working_directory, branch },
    ...{ name: agent_name, id: agent_id, tool, host: '', state: 'gone', since: null, reason: 'gone' },
    ...{ needs_you: null, needs: [], open_mail: null, wakes: null, waiting_for: null, queue_depth: null },
    ...{ gateway: 'not_attached', origin: 'launched', paused: null },
  };
}

function notes({ malformed_records, agents, published_again }: AgentList): string[] {
  return [
    ...(malformed_records.length > 0
      ? [`note: ${malformed_records.length} registry file(s) are not records and were skipped`]
      : []),
    ...agents.flatMap(({ agent_name, gateway_down }) =>
      gateway_down === null ? [] : [`note: ${agent_name}: ${gateway_down}`],
    ),
    ...published_again.map((id) => `note: agent ${id} was published again`),
  ];
}

const FLAGS = [
  { ...PAIR_PORT, summary: 'list the agents known to the fleet server on this port' },
  WATCH,
] as const satisfies readonly Flag[];

const list = command({
  name: 'list',
  summary: 'the agents of this host: state, mail, wakes, sessions and gateways',
  examples: ['rouse agents list', 'rouse agents list --print-json', 'rouse agents list --pair-port 9889'],
  flags: FLAGS,
  run,
});

export default list;
