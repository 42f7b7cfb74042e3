import { MCP_NAME, mcpTomlPairs } from '../mcp.ts';
import { SessionLog } from '../signals/session-log.ts';
import type { Tool } from '../tool.ts';
import { DETECTOR, INLINE_DETECTOR } from './detector.ts';
import { HEADLESS } from './headless.ts';
import { CODEX_ROLLOUT } from './rollout.ts';

/**
 * Codex. Its rollout files under CODEX_HOME tell every turn, so nothing is added: a `notify` program of ours
 * would replace the person's own.
 */
export const codex: Tool = {
  name: 'codex',
  process: {
    executable: 'codex',
    names: ['codex'],
    npmPackage: '@openai/codex',
    nestedMarks: ['CODEX_SANDBOX', 'CODEX_THREAD_ID'],
  },
  homeVariable: 'CODEX_HOME',
  role: { method: 'cli_flag', words: ['-c', 'developer_instructions={toml}'] },
  mcp: {
    config: { inHome: 'config.toml', byDefault: '.codex/config.toml', format: 'toml' },
    // Our own tools are used without a question: nobody may be there to answer it.
    forSession: (entry) => ({
      args: [...mcpTomlPairs(entry), ['default_tools_approval_mode', '"approve"']].flatMap(([key, value]) => [
        '-c',
        `mcp_servers.${MCP_NAME}.${key}=${value}`,
      ]),
      files: [],
    }),
  },
  skills: { inHome: 'skills', byDefault: '.codex/skills', call: (skill, url) => `$${skill} ${url}` },
  headless: HEADLESS,
  detectors: [DETECTOR, INLINE_DETECTOR],
  signals: ({ clock, changed }) => [new SessionLog(CODEX_ROLLOUT, clock, changed)],
  notes: {
    added: 'nothing',
    beside: 'the log of the conversation (`rollout-….jsonl`) its process holds open, title',
    taken: 'the log with the very text, or the transcript',
    ended: 'the log, closing row',
    allowsMail:
      '`-- -c sandbox_workspace_write.network_access=true`; its sandbox has no network otherwise, not even loopback',
    asksTrust: 'in Git repositories',
  },
};
