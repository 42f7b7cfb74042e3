import type { ListedAgent } from '../../session/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { type Column, table } from '../print/table.ts';
import { PAIR_PORT, sessionContext } from './target.ts';

const COLUMNS: Column<ListedAgent>[] = [
  { title: 'name', value: (agent) => agent.agent_name },
  { title: 'tool', value: (agent) => agent.tool },
  { title: 'backend', value: (agent) => agent.backend },
  { title: 'session', value: sessionWords },
  { title: 'gateway', value: (agent) => agent.gateway },
  { title: 'port', value: (agent) => agent.gateway_port, right: true },
  { title: 'tmux session', value: (agent) => agent.tmux_session_name },
  { title: 'mail address', value: (agent) => agent.mail_address },
];

/** A session may live although only a shell is left in it. */
function sessionWords({ session, tool_connectivity }: ListedAgent): string {
  return session === 'running' && tool_connectivity === 'unavailable' ? 'running, tool gone' : session;
}

async function run(input: InputOf<typeof FLAGS>): Promise<Output> {
  const { listAgents, fleetActions } = await import('../../session/index.ts');
  const port = input.flags.pairPort;
  if (port !== undefined) {
    const { listAtFleet, fleetServerOn } = await fleetActions();
    const data = await listAtFleet(fleetServerOn(port, input.env));
    return { data, plain: data.agents.length > 0 ? table(data.agents, COLUMNS) : 'no agents' };
  }
  const list = await listAgents(sessionContext(input));
  const notes = [
    ...(list.malformed_records.length > 0
      ? [`note: ${list.malformed_records.length} registry file(s) are not records and were skipped`]
      : []),
    ...list.agents.flatMap(({ agent_name, gateway_down }) =>
      gateway_down === null ? [] : [`note: ${agent_name}: ${gateway_down}`],
    ),
    ...list.published_again.map((id) => `note: agent ${id} was published again`),
  ];
  const body = list.agents.length > 0 ? table(list.agents, COLUMNS) : 'no agents';
  return { data: list, plain: [body, ...notes].join('\n') };
}

const FLAGS = [
  { ...PAIR_PORT, summary: 'list the agents known to the fleet server on this port' },
] as const satisfies readonly Flag[];

const list = command({
  name: 'list',
  summary: 'the agents of this host, their sessions and gateways',
  examples: ['rouse agents list', 'rouse agents list --print-json', 'rouse agents list --pair-port 9889'],
  flags: FLAGS,
  run,
});

export default list;
