import { absoluteDirectory } from '../agents/flags/mailbox.ts';
import { AGENT_FLAGS, localAgent } from '../agents/target.ts';
import { command, type Flag, type InputOf, type Output } from '../command.ts';

const configurableTools = async (): Promise<string[]> =>
  (await import('../../tools/index.ts')).toolNames((tool) => tool.mcp?.config);

async function description(): Promise<string> {
  const { toolNames } = await import('../../tools/index.ts');
  const byThemselves = toolNames(({ mcp }) => mcp?.config && mcp.forSession).join(', ');
  return (
    'Adds or updates one entry, "rouse", and changes nothing else; it contains no secret. Without an agent the entry ' +
    'serves whichever session the tool runs in; with one, only that agent. Launched agents get the server for ' +
    `their session without this (${byThemselves}).`
  );
}

async function install(input: InputOf<typeof INSTALL_FLAGS>): Promise<Output> {
  const { installMcp, mcpEntryOf, sharedMcpEntry, shownMcpConfig } = await (
    await import('../../session/index.ts')
  ).mcpConfig();
  const { agentName, agentId, currentSession, targetTmuxSession, tool, home } = input.flags;
  const named = agentName || agentId || currentSession || targetTmuxSession;
  const agent = named ? await localAgent(input, 'mcp install') : undefined;
  const entry = agent
    ? mcpEntryOf({ manifest: agent.path, agentId: agent.agentId }, input.env)
    : sharedMcpEntry();
  const config = { tool, home, env: input.env, entry };
  if (input.flags.print) {
    const { file, text } = shownMcpConfig(config);
    return { data: { schema_version: 1, tool, file, text }, plain: `# ${file}\n${text.trimEnd()}` };
  }
  const { file, was } = installMcp(config);
  const done = { absent: 'installed', other: 'updated', same: 'unchanged' }[was];
  return {
    data: { schema_version: 1, tool, file, was, entry },
    plain: `${done}  ${file}`,
  };
}

const INSTALL_FLAGS = [
  { name: 'tool', value: 'TOOL', choices: configurableTools, summary: 'the tool', required: true },
  {
    name: 'home',
    value: 'DIR',
    summary: "the tool's home directory (default: its own variable, or a directory in your home)",
    parse: absoluteDirectory,
  },
  { name: 'print', summary: 'print what would be written, and write nothing' },
  ...AGENT_FLAGS,
] as const satisfies readonly Flag[];

export const mcpInstall = command({
  name: 'install',
  summary: "add Rouse's server to a tool's own MCP configuration",
  description,
  examples: [
    'rouse mcp install --tool gemini',
    'rouse mcp install --tool codex --agent-name ben --home /srv/agents/ben-codex-home',
    'rouse mcp install --tool claude --print',
  ],
  flags: INSTALL_FLAGS,
  run: install,
});
