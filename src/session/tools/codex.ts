import { MCP_NAME, mcpTomlPairs } from '../../domain/index.ts';
import type { ToolPreset } from './preset.ts';

/**
 * Codex. Its rollout files under CODEX_HOME tell every turn, so nothing is added: a `notify` program of ours
 * would replace the person's own.
 */
export const codex: ToolPreset = {
  tool: 'codex',
  executable: 'codex',
  processNames: ['codex'],
  homeVariable: 'CODEX_HOME',
  npmPackage: '@openai/codex',
  nestedMarks: ['CODEX_SANDBOX', 'CODEX_THREAD_ID'],
  role: { method: 'cli_flag', args: (text) => ['-c', `developer_instructions=${JSON.stringify(text)}`] },
  // Our own tools are used without a question: nobody may be there to answer it.
  mcp: (entry) => ({
    args: [...mcpTomlPairs(entry), ['default_tools_approval_mode', '"approve"']].flatMap(([key, value]) => [
      '-c',
      `mcp_servers.${MCP_NAME}.${key}=${value}`,
    ]),
    files: [],
  }),
  headless: {
    backend: 'codex_headless',
    prompt: 'stdin',
    role: 'arguments',
    create: ['exec', '--json', '{args}', '{role}', '{model}', '-'],
    exact: ['exec', '--json', '{args}', '{role}', '{model}', 'resume', '{session}', '-'],
    last: ['exec', '--json', '{args}', '{role}', '{model}', 'resume', '--last', '-'],
  },
};
