import * as path from 'node:path';
import { invalid, readIfExists } from '../../base/index.ts';
import type { SessionPaths } from './session-paths.ts';

export const TOKEN_FILE_VARIABLE = 'HOUMAO_GATEWAY_TOKEN_FILE';

/** The file that holds the bearer token of a gateway that demands one; the gateway makes it. */
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
