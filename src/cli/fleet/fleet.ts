import type { WorkspaceStatus, WorkspaceView } from '../../wire/index.ts';
import { sessionContext } from '../agents/target.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues, table } from '../print/table.ts';
import { FLEET_FLAGS, fleetOf, fleetPlace, TAKE_OVER } from './access.ts';
import { moreLine, PAGE_FLAGS, pageOf } from './pages.ts';

const AGENT = { name: 'agent', summary: 'its name, agent id or workspace id' };

async function list(input: InputOf<typeof LIST_FLAGS>): Promise<Output> {
  const { flags } = input;
  const data = await (await fleetOf(input)).call('registry.agents.list', {
    ...(flags.status !== undefined && { status: flags.status as WorkspaceStatus }),
    ...(flags.org !== undefined && { org: flags.org }),
    ...pageOf(input),
  });
  const plain = table(data.agents, [
    { title: 'name', value: (row) => row.name, max: 24 },
    { title: 'status', value: (row) => row.status },
    { title: 'tasks', value: (row) => `${row.active_tasks}/${row.max_concurrent_tasks}`, right: true },
    { title: 'waiting', value: (row) => row.queue_depth, right: true },
    { title: 'heard', value: (row) => age(row.heartbeat_age_seconds), right: true },
    { title: 'host', value: (row) => row.host, max: 20 },
    { title: 'tool', value: (row) => row.tool, max: 16 },
    { title: 'org', value: (row) => row.org, max: 16 },
    { title: 'workspace', value: (row) => row.workspace_id },
  ]);
  return { data, plain: data.agents.length === 0 ? 'No agents.' : plain + moreLine(data) };
}

const age = (seconds: number | null): string => (seconds === null ? 'never' : `${seconds} s ago`);

async function show(input: InputOf<typeof FLEET_FLAGS>): Promise<Output> {
  return one(await (await fleetOf(input)).agent(input.args[0]!));
}

const one = (data: WorkspaceView): Output => ({ data, plain: keyValues(data) });

function change(verb: 'pause' | 'resume' | 'remove', summary: string): Command {
  return command({
    name: verb,
    examples: [`rouse fleet ${verb} ana`],
    summary,
    args: [AGENT],
    flags: FLEET_FLAGS,
    run: async (input) => {
      const data = await (await fleetOf(input)).call(`registry.agents.${verb}`, {
        agent_ref: input.args[0]!,
      });
      return { data, plain: `${data.name} is ${data.status}.` };
    },
  });
}

/** For an agent that was launched or joined before there was a server. */
async function register(input: InputOf<typeof REGISTER_FLAGS>): Promise<Output> {
  const { findTarget, registerWithFleet, requireLocal } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const target = await findTarget(context, { agentName: input.args[0]! });
  const facts = requireLocal(target, 'fleet register');
  const { url, workspaceId } = await registerWithFleet(
    {
      ...(await fleetPlace(input)),
      runtimeDir: context.settings.runtimeDir,
      takeOver: input.flags.takeOver === true,
    },
    facts,
  );
  const plain = `Registered ${facts.agentName} with ${url} as ${workspaceId}. A gateway that is attached takes this up by itself.`;
  return {
    data: { url, workspace_id: workspaceId, agent_id: facts.agentId, session_id: facts.sessionId },
    plain,
  };
}

async function orgs(input: InputOf<typeof ORGS_FLAGS>): Promise<Output> {
  const fleet = await fleetOf(input);
  const name = input.flags.create;
  if (name !== undefined) {
    const data = await fleet.call('admin.orgs.create', { body: { name: name } });
    return { data, plain: keyValues(data) };
  }
  const data = await fleet.call('admin.orgs.list', {});
  const plain = table(data.orgs, [
    { title: 'name', value: (row) => row.name },
    { title: 'org', value: (row) => row.org_id },
    { title: 'created', value: (row) => row.created_at },
  ]);
  return { data, plain };
}

const LIST_FLAGS = [
  {
    name: 'status',
    value: 'STATUS',
    summary: 'only agents with this status, such as online or removed',
    parse: notBlank,
  },
  {
    name: 'org',
    value: 'NAME',
    summary: 'server administrators: act in this org',
    parse: notBlank,
  },
  ...PAGE_FLAGS,
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

const REGISTER_FLAGS = [TAKE_OVER, ...FLEET_FLAGS] as const satisfies readonly Flag[];

const ORGS_FLAGS = [
  {
    name: 'create',
    value: 'NAME',
    summary: 'create an org; needs a server administrator',
    parse: notBlank,
  },
  ...FLEET_FLAGS,
] as const satisfies readonly Flag[];

const fleet: Command = {
  name: 'fleet',
  summary: 'the agents a fleet server knows',
  subcommands: [
    command({
      name: 'list',
      summary: 'agents with their status, load and waiting work',
      examples: ['rouse fleet list', 'rouse fleet list --status offline'],
      flags: LIST_FLAGS,
      run: list,
    }),
    command({
      name: 'show',
      summary: 'one agent',
      examples: ['rouse fleet show ana'],
      args: [AGENT],
      flags: FLEET_FLAGS,
      run: show,
    }),
    change('pause', 'stop delivering to an agent until it is resumed'),
    change('resume', 'resume delivery to an agent'),
    change('remove', 'remove an agent from the fleet and revoke its tokens'),
    command({
      name: 'register',
      summary: 'register an agent of this host with the server; launch does so when ROUSE_FLEET_URL is set',
      examples: ['rouse fleet register ana', 'rouse fleet register ana --take-over'],
      args: [{ name: 'agent-name', summary: 'an agent of this host' }],
      flags: REGISTER_FLAGS,
      run: register,
    }),
    command({
      name: 'orgs',
      summary: 'the orgs you may see',
      examples: ['rouse fleet orgs', 'rouse fleet orgs --create research'],
      flags: ORGS_FLAGS,
      run: orgs,
    }),
  ],
};

export default fleet;
