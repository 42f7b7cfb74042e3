import type { HostReport } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { type Command, command, type Input, type Output } from '../command.ts';
import { type Column, table } from '../print/table.ts';

const COLUMNS: Column<HostReport['gateways'][number]>[] = [
  { title: 'agent', value: ({ agent_name, session_root }) => agent_name ?? session_root },
  { title: 'gateway', value: ({ state }) => state },
  { title: 'port', value: ({ gateway_port }) => gateway_port, right: true },
  { title: 'restarts', value: ({ restarts }) => restarts, right: true },
];

async function status(input: Input): Promise<Output> {
  const { hostsOfHome } = await import('../../session/index.ts');
  const hosts = await hostsOfHome(sessionContext(input));
  const plain = hosts.length > 0 ? hosts.map(described).join('\n\n') : 'No host runs: no gateway is hosted.';
  return { data: { hosts }, plain };
}

async function stop(input: Input): Promise<Output> {
  const { stopHosts } = await import('../../session/index.ts');
  const hosts = await stopHosts(sessionContext(input));
  const count = hosts.reduce((sum, { gateways }) => sum + gateways.length, 0);
  const plain =
    hosts.length === 0
      ? 'No host runs.'
      : `Host stopped; ${count} gateway${count === 1 ? '' : 's'} detached. The agents keep running.`;
  return { data: { status: 'ok', action: 'host_stop', hosts }, plain };
}

function described({ pid, started_at_utc, answers, restarts, gateways }: HostReport): string {
  const again = restarts > 0 ? `, started again ${restarts === 1 ? 'once' : `${restarts} times`}` : '';
  const heading = `Host ${pid} since ${started_at_utc}${again}`;
  if (!answers) return `${heading}: it does not answer; "rouse host stop" ends it`;
  return `${heading}\n${table(gateways, COLUMNS)}`;
}

const host: Command = {
  name: 'host',
  summary: 'the process that holds hosted gateways',
  description:
    'Gateways attached with --hosted share one process, which is started with the first of them and ends with the last. ' +
    'Each is still attached, detached and asked by itself, with "rouse agents gateway".',
  subcommands: [
    command({
      name: 'status',
      summary: 'the host and the gateways it holds',
      examples: ['rouse host status'],
      flags: [],
      run: status,
    }),
    command({
      name: 'stop',
      summary: 'detach every hosted gateway and end the host; the agents keep running',
      examples: ['rouse host stop'],
      flags: [],
      run: stop,
    }),
  ],
};

export default host;
