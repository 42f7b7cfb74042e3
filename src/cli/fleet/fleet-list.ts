import { isRouseError, sleep, stableJson, systemClock } from '../../base/index.ts';
import type { WorkspaceStatus } from '../../domain/index.ts';
import type { AgentState, WorkspaceList, WorkspaceListed, WorkspaceView } from '../../wire/index.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { clockTime, dayAndTime } from '../print/local-time.ts';
import { type Column, keyValues, table } from '../print/table.ts';
import { harmless } from '../print/terminal-text.ts';
import { FLEET_FLAGS, fleetOf } from './access.ts';
import { moreLine, PAGE_FLAGS, pageOf } from './pages.ts';

const WATCH_MS = 2000;

const WATCH = {
  name: 'watch',
  short: 'w',
  summary: 'show changes, checked every two seconds, until Ctrl-C',
} as const satisfies Flag;

const LIST_FLAGS = [
  {
    name: 'status',
    value: 'STATUS',
    summary: 'only agents with this status, such as online or removed',
    parse: notBlank,
  },
  {
    name: 'state',
    value: 'STATE',
    summary: 'only agents in this state, such as idle, working, needs_you or offline',
    parse: notBlank,
  },
  { name: 'host', value: 'HOST', summary: 'only agents of this host, by name or id', parse: notBlank },
  { name: 'tool', value: 'TOOL', summary: 'only agents of this tool', parse: notBlank },
  {
    name: 'org',
    value: 'NAME',
    summary: 'server administrators: act in this org',
    parse: notBlank,
  },
  WATCH,
  ...PAGE_FLAGS,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

const SHOW_FLAGS = [WATCH, ...FLEET_FLAGS] as const satisfies readonly Flag[];

type ListInput = InputOf<typeof LIST_FLAGS>;
type Watching = InputOf<readonly [typeof WATCH]>;

async function list(input: ListInput): Promise<Output | void> {
  if (input.flags.watch) return watch(input, async () => (await ask(input)).agents);
  const data = await ask(input);
  const plain = data.agents.length === 0 ? 'No agents.' : table(data.agents, COLUMNS) + moreLine(data);
  return { data, plain };
}

async function ask(input: ListInput): Promise<WorkspaceList> {
  const { status, state, host, tool, org } = input.flags;
  return (await fleetOf(input)).call('registry.agents.list', {
    ...(status !== undefined && { status: status as WorkspaceStatus }),
    ...(state !== undefined && { state: state as AgentState }),
    ...(host !== undefined && { host }),
    ...(tool !== undefined && { tool }),
    ...(org !== undefined && { org }),
    ...pageOf(input),
  });
}

const COLUMNS: Column<WorkspaceListed>[] = [
  { title: 'name', value: (row) => row.name, max: 24 },
  { title: 'host', value: (row) => row.host, max: 20 },
  { title: 'tool', value: (row) => row.tool, max: 16 },
  { title: 'state', value: (row) => stateWords(row) },
  { title: 'since', value: (row) => dayAndTime(row.since) },
  { title: 'tasks', value: (row) => `${row.active_tasks}/${row.max_concurrent_tasks}`, right: true },
  { title: 'waiting', value: (row) => row.queue_depth, right: true },
  { title: 'heard', value: (row) => age(row.heartbeat_age_seconds), right: true },
  { title: 'version', value: (row) => row.version, max: 12 },
  { title: 'org', value: (row) => row.org, max: 16 },
  { title: 'workspace', value: (row) => row.workspace_id },
];

const stateWords = ({ state }: WorkspaceListed): string =>
  state === 'needs_you' ? 'waits for you' : state === 'unknown' ? 'online' : state;

const age = (seconds: number | null): string => (seconds === null ? 'never' : `${seconds} s ago`);

async function show(input: InputOf<typeof SHOW_FLAGS>): Promise<Output | void> {
  const one = async (): Promise<WorkspaceView> => (await fleetOf(input)).agent(input.args[0]!);
  if (input.flags.watch) return watch(input, async () => [await one()]);
  const data = await one();
  return { data, plain: keyValues(data) };
}

/** Prints a line for each change, and one when the server goes away or is back. As JSON: all agents whenever one changed. */
async function watch(input: Watching, look: () => Promise<WorkspaceListed[]>): Promise<void> {
  const before = new Map<string, string>();
  let trouble: string | undefined;
  const say = (line: string): void =>
    input.out(`${clockTime(new Date().toISOString()).slice(0, 8)}Z ${harmless(line)}\n`);
  while (!input.signal.aborted) {
    try {
      const agents = await look();
      if (trouble !== undefined) input.err('the fleet server is back\n');
      trouble = undefined;
      const changed = changedLines(before, agents);
      if (input.style === 'json' && changed.length > 0)
        input.out(`${JSON.stringify(JSON.parse(stableJson({ agents })))}\n`);
      else if (input.style !== 'json') for (const line of changed) say(line);
    } catch (error) {
      if (!isRouseError(error) || error.code !== 'unavailable') throw error;
      if (trouble !== error.message) input.err(`${error.message}; trying again\n`);
      trouble = error.message;
    }
    await sleep(systemClock, WATCH_MS, input.signal);
  }
}

function changedLines(before: Map<string, string>, agents: WorkspaceListed[]): string[] {
  const lines: string[] = [];
  const seen = new Set(agents.map(({ workspace_id }) => workspace_id));
  for (const agent of agents) {
    const { workspace_id: id, name, host, tool, queue_depth: waiting } = agent;
    const where = host === null ? '' : ` on ${host}`;
    const line = `${name}${where} (${tool ?? '-'}): ${stateWords(agent)}${waiting > 0 ? `, ${waiting} waiting` : ''}`;
    if (before.get(id) !== line) lines.push(line);
    before.set(id, line);
  }
  for (const [id, line] of [...before].filter(([id]) => !seen.has(id))) {
    lines.push(`${line.split(': ')[0]}: no longer listed`);
    before.delete(id);
  }
  return lines;
}

export const FLEET_LISTS = [
  command({
    name: 'list',
    summary: 'agents with their hosts, state, load and waiting work',
    description:
      'Shows the agents of the org on every host. The state is the one the gateway reports (idle, working, waiting, ' +
      'waits for you, gone); without reports, it is the status. Times are by the clock of the server.',
    examples: [
      'rouse fleet list',
      'rouse fleet list --host build-2 --state idle',
      'rouse fleet list --watch',
    ],
    flags: LIST_FLAGS,
    run: list,
  }),
  command({
    name: 'show',
    summary: 'one agent',
    examples: ['rouse fleet show ana', 'rouse fleet show ana --watch'],
    args: [{ name: 'agent', summary: 'its name, agent id or workspace id' }],
    flags: SHOW_FLAGS,
    run: show,
  }),
];
