import * as path from 'node:path';
import { ensurePrivateDirectory, randomHex, readIfExists, writeFileAtomic } from '../base/index.ts';

/**
 * The file with an agent's token for the MCP tools of its own gateway. It is valid at /mcp only, for the agent's own mail,
 * reminders and requests. The model can read it, so it must not allow more.
 */
export function agentTokenFile(sessionRoot: string): string {
  return path.join(sessionRoot, 'mcp', 'token');
}

/** Returns the token; makes it, readable by its owner only, when there is none. */
export function ensureAgentToken(sessionRoot: string): string {
  const file = agentTokenFile(sessionRoot);
  const before = readAgentToken(sessionRoot);
  if (before) return before;
  ensurePrivateDirectory(path.dirname(file));
  const token = randomHex(32);
  writeFileAtomic(file, `${token}\n`, { mode: 0o600 });
  return token;
}

export function readAgentToken(sessionRoot: string): string | undefined {
  return readIfExists(agentTokenFile(sessionRoot))?.trim() || undefined;
}
