import * as path from 'node:path';
import { invalid, randomHex, readIfExists, writeFileAtomic } from '../base/index.ts';
import type { SessionPaths } from './session-paths.ts';

export const TOKEN_FILE_VARIABLE = 'HOUMAO_GATEWAY_TOKEN_FILE';

/** The file that holds the bearer token of a gateway bound wider than loopback. */
export function tokenFile(paths: SessionPaths, env: NodeJS.ProcessEnv): string {
  const given = env[TOKEN_FILE_VARIABLE];
  if (!given) return path.join(paths.gateway, 'token');
  if (!path.isAbsolute(given))
    throw invalid(`${TOKEN_FILE_VARIABLE} must be an absolute path, but is "${given}"`);
  return given;
}

export function readToken(paths: SessionPaths, env: NodeJS.ProcessEnv): string | undefined {
  return readIfExists(tokenFile(paths, env))?.trim() || undefined;
}

/** A gateway on every address answers only to who has read this file; it is made on first need, for its owner. */
export function ensureToken(paths: SessionPaths, env: NodeJS.ProcessEnv): string {
  const file = tokenFile(paths, env);
  if (readToken(paths, env) === undefined) writeFileAtomic(file, `${randomHex(32)}\n`, { mode: 0o600 });
  return file;
}
