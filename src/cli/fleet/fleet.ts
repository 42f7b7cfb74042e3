import { commandLine } from '../../base/index.ts';
import { relaunchCommand } from '../../domain/index.ts';
import type { ManifestFacts } from '../../session/index.ts';
import { sessionContext } from '../agents/target.ts';
import { mcpDoorOf } from '../agents/wake.ts';
import { type Command, command, type Flag, type InputOf, type Output } from '../command.ts';
import { FIRST_WORDS } from '../first-words.ts';
import { notBlank } from '../input/flag-values.ts';
import { keyValues, table } from '../print/table.ts';
import { FLEET_FLAGS, fleetOf, fleetPlace, TAKE_OVER } from './access.ts';
import { FLEET_LISTS } from './fleet-list.ts';

const AGENT = { name: 'agent', summary: 'its name, agent id or workspace id' };

function change(verb: 'pause' | 'resume' | 'remove', summary: string): Command {
  return command({
    name: verb,
    examples: [commandLine`rouse fleet ${verb} ana`],
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

/** Registers an agent that was launched or joined before there was a server. */
async function register(input: InputOf<typeof REGISTER_FLAGS>): Promise<Output> {
  const { thisHost } = await import('../../client/index.ts');
  const { findTarget, registerWithFleet, requireLocal } = await import('../../session/index.ts');
  const context = sessionContext(input);
  const target = await findTarget(context, { agentName: input.args[0]! });
  const facts = requireLocal(target, 'fleet register');
  const { url, workspaceId } = await registerWithFleet(
    {
      ...(await fleetPlace(input)),
      host: thisHost(input.env),
      runtimeDir: context.settings.runtimeDir,
      takeOver: input.flags.takeOver === true,
    },
    facts,
  );
  const plain = [
    `Registered ${facts.agentName} with ${url} as ${workspaceId}. An attached gateway connects by itself.`,
    requestTools(facts),
  ].join('\n');
  return {
    data: { url, workspace_id: workspaceId, agent_id: facts.agentId, session_id: facts.sessionId },
    plain,
  };
}

/** How its tool gets the tools for requests: it was started before the agent was registered. */
function requestTools(facts: ManifestFacts): string {
  const { agentName, tool } = facts;
  const again = `"${relaunchCommand(agentName)}"`;
  return mcpDoorOf(facts) !== undefined
    ? `Its tool reads the list of tools when it starts: ${again} adds those for requests.`
    : `Its tool has none of Rouse's tools, so it cannot answer requests by itself yet: "${commandLine`rouse mcp install --tool ${tool} --agent-name ${agentName}`}", then restart it.`;
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
  ...FIRST_WORDS.fleet,
  subcommands: [
    ...FLEET_LISTS,
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
