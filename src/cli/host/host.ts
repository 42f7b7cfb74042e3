import type { HostReport, StartedGateway } from '../../session/index.ts';
import { CODES } from '../../wire/codes.ts';
import { sessionContext } from '../agents/target.ts';
import { type Command, command, type Input, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { startIfWanted } from '../notify/outbox.ts';
import { type Column, table } from '../print/table.ts';
import { HOST_INSTALL } from './host-install.ts';

const COLUMNS: Column<HostReport['gateways'][number]>[] = [
  { title: 'agent', value: ({ agent_name, session_root }) => agent_name ?? session_root },
  { title: 'gateway', value: ({ state }) => state },
  { title: 'port', value: ({ gateway_port }) => gateway_port, right: true },
  { title: 'restarts', value: ({ restarts }) => restarts, right: true },
];

const STARTED: Column<StartedGateway>[] = [
  { title: 'agent', value: ({ agent_name }) => agent_name },
  { title: 'gateway', value: ({ outcome }) => outcome.replace('_', ' ') },
  { title: 'port', value: ({ gateway_port }) => gateway_port, right: true },
  { title: 'problem', value: ({ error, hint }) => error && `${error}${hint ? `; ${hint}` : ''}` },
];

async function status(input: Input): Promise<Output> {
  const { hostsOfHome } = await import('../../session/index.ts');
  const hosts = await hostsOfHome(sessionContext(input));
  const plain = hosts.length > 0 ? hosts.map(described).join('\n\n') : 'No host runs: no gateway is hosted.';
  return { data: { hosts }, plain };
}

async function start(input: Input): Promise<Output> {
  const { startHosts } = await import('../../session/index.ts');
  const gateways = await startHosts(sessionContext(input));
  await startIfWanted(input);
  const failed = gateways.filter(({ outcome }) => outcome === 'failed');
  return {
    data: { status: failed.length > 0 ? 'failed' : 'ok', action: 'host_start', gateways },
    plain: gateways.length > 0 ? table(gateways, STARTED) : 'No agent of this host should have a gateway.',
    exitCode: failed.length > 0 ? CODES.unavailable.exit : 0,
  };
}

async function stop(input: Input): Promise<Output> {
  const { stopHosts } = await import('../../session/index.ts');
  const hosts = await stopHosts(sessionContext(input));
  const count = hosts.reduce((sum, { gateways }) => sum + gateways.length, 0);
  const plain =
    hosts.length === 0
      ? 'No host runs.'
      : `Host stopped; ${count} gateway${count === 1 ? '' : 's'} detached. The agents keep running. "rouse host start" brings them back.`;
  return { data: { status: 'ok', action: 'host_stop', hosts }, plain };
}

function described({ pid, started_at_utc, answers, restarts, gateways }: HostReport): string {
  const again = restarts > 0 ? `, started again ${restarts === 1 ? 'once' : `${restarts} times`}` : '';
  const heading = `Host ${pid} since ${started_at_utc}${again}`;
  if (!answers) return `${heading}: it does not respond; "rouse host stop" ends it`;
  return `${heading}\n${table(gateways, COLUMNS)}`;
}

const host: Command = {
  ...FIRST_WORDS.host,
  description:
    'Gateways attached with --hosted share one process. It starts with the first of them and ends with the last. ' +
    'Each is still attached, detached and inspected by itself, with "rouse agents gateway".',
  subcommands: [
    {
      ...command({
        name: 'start',
        summary: 'bring back every gateway that should run and does not, and the host with them',
        description:
          'Attaches every gateway of this host that was attached, not detached since, and no longer runs, with its last ' +
          'address, mode and settings. Running gateways are left alone; only if their keeper was killed are they restarted with ' +
          'a new one. The exit code is 7 when one does not come back.',
        examples: ['rouse host start'],
        flags: [],
        run: start,
      }),
      isQuiet: true,
    },
    command({
      name: 'status',
      summary: 'the host and the gateways it holds',
      examples: ['rouse host status'],
      flags: [],
      run: status,
    }),
    command({
      name: 'stop',
      summary:
        'detach every hosted gateway until "rouse host start" and end the host; the agents keep running',
      examples: ['rouse host stop'],
      flags: [],
      run: stop,
    }),
    ...HOST_INSTALL,
  ],
};

export default host;
