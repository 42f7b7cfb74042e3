import { SessionLog } from '../signals/session-log.ts';
import type { Tool } from '../tool.ts';
import { DETECTOR, INLINE_DETECTOR } from './detector.ts';
import { HEADLESS } from './headless.ts';
import { codexTurns } from './kept-turns.ts';
import { codexSession } from './mcp.ts';
import { CODEX_ROLLOUT } from './rollout.ts';

/**
 * Codex. Its rollout files under CODEX_HOME record every turn, so no `notify` program is added: ours would replace the
 * person's own.
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
  resume: ['resume', '{session}', '{args}'],
  harmlessFlags: ['--model', '-m'],
  role: { method: 'cli_flag', words: ['-c', 'developer_instructions={toml}'] },
  mcp: {
    // It shows each server as a namespace of functions.
    modelName: (server, tool) => `mcp__${server}.${tool}`,
    config: { inHome: 'config.toml', byDefault: '.codex/config.toml', format: 'toml' },
    forSession: codexSession,
    absence: {
      atStart: 'not tried again in that chat: `/new` connects it',
      whileRunning: 'the next call works',
    },
  },
  skills: { inHome: 'skills', byDefault: '.codex/skills', call: (skill, url) => `$${skill} ${url}` },
  headless: HEADLESS,
  detectors: [DETECTOR, INLINE_DETECTOR],
  keptTurns: codexTurns,
  signals: ({ clock, changed }) => [new SessionLog(CODEX_ROLLOUT, clock, changed)],
  notes: {
    beside: 'the log of the conversation (`rollout-….jsonl`) its process holds open, title',
    taken: 'the log with the very text, or the transcript',
    ended: 'the log, closing row',
    mcp: '`-c mcp_servers.…`, with a unique name',
    allowsTools: '`approval_mode`, each by its name; not when you disable `rouse`',
    sandbox: 'no network, not even loopback; its MCP client is outside',
    allowsMail:
      '`-- -c sandbox_workspace_write.network_access=true`; its sandbox has no network otherwise, not even loopback',
    asksTrust: 'in Git repositories',
  },
};
