import * as path from 'node:path';
import { ensurePrivateDirectory, randomHex, readIfExists, writeFileAtomic } from '../base/index.ts';

/**
 * Where an agent's token for the MCP tools of its own gateway is. It is good at /mcp and nowhere else: worth the agent's
 * own mail, reminders and requests. The model can read it, so it must not be worth more.
 */
export function agentTokenFile(sessionRoot: string): string {
  return path.join(sessionRoot, 'mcp', 'token');
}

/** Made on first need, for its owner's eyes only. */
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
