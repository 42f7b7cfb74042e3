import { sha256, stableJson } from '../../base/index.ts';
import { toolOf } from '../../tools/index.ts';

/** Options of a launch that decide what runs, and how it is equipped. */
const ASKED = [
  ...['headless', 'args', 'rolePrompt', 'roleName', 'home', 'resumeArgs', 'continueArgs'],
  ...['mailbox', 'skills', 'env', 'mcp', 'agentId', 'sessionName'],
];

/** What a person asked for, so that the same launch is recognised after a stop. */
export function askedDigest(options: { tool: string }, workdir: string): string {
  const { tool } = options;
  const all: Readonly<Record<string, unknown>> = { ...options };
  const asked = Object.fromEntries(ASKED.map((name) => [name, all[name] ?? null]));
  return sha256(stableJson({ ...asked, tool: toolOf(tool)?.name ?? tool, workdir }));
}
