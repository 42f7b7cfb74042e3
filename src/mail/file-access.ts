import * as os from 'node:os';
import * as path from 'node:path';
import type { Below } from '../base/index.ts';
import { VARIABLE } from '../wire/houmao/index.ts';

/**
 * Which files an operation may read by path. Each entry point passes this; without it a mailbox reads no file. Bytes
 * sent with the operation are always accepted.
 */
export type FileAccess = { may: 'any' } | { may: 'none' } | ({ may: 'below' } & Below);

/** For the owner of the account, and for paths that Rouse created. */
export const ANY_FILE: FileAccess = { may: 'any' };
export const NO_FILE: FileAccess = { may: 'none' };

/** For everyone else: the files of the session's project, except Rouse's own. */
export function filesBelow(directory: string | null | undefined, except: readonly string[]): FileAccess {
  return directory ? { may: 'below', directory, except, alone: true } : NO_FILE;
}

const PLACES = [VARIABLE.runtimeDir, VARIABLE.mailboxDir, VARIABLE.registryDir];

/** Rouse's own directories. Tokens, sessions and mail never count as project files, even inside a project. */
export function privateDirectories(
  env: Readonly<Record<string, string | undefined>>,
  sessionRoot: string,
): string[] {
  const home = env['ROUSE_HOME'] || path.join(env['HOME'] || os.homedir(), '.rouse');
  const sessions = path.resolve(sessionRoot, '..', '..');
  return [
    home,
    sessionRoot,
    ...(path.basename(sessions) === 'sessions' ? [path.dirname(sessions)] : []),
    ...PLACES.flatMap((name) => env[name] || []),
  ];
}
