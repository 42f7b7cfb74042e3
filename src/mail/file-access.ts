import * as os from 'node:os';
import * as path from 'node:path';
import type { Below } from '../base/index.ts';

/**
 * Which files an operation may read because its caller named them. Each door says so; a mailbox that is not told reads none.
 * Bytes that came with the operation are always taken.
 */
export type FileAccess = { may: 'any' } | { may: 'none' } | ({ may: 'below' } & Below);

/** For the owner of the account, and for paths that Rouse made itself. */
export const ANY_FILE: FileAccess = { may: 'any' };
export const NO_FILE: FileAccess = { may: 'none' };

/** For everybody else: the files of the session's project, but none of Rouse's own. */
export function filesBelow(directory: string | null | undefined, except: readonly string[]): FileAccess {
  return directory ? { may: 'below', directory, except, alone: true } : NO_FILE;
}

const PLACES = ['HOUMAO_GLOBAL_RUNTIME_DIR', 'HOUMAO_GLOBAL_MAILBOX_DIR', 'HOUMAO_GLOBAL_REGISTRY_DIR'];

/** Rouse's own directories: tokens, sessions and mail are no files of a project, even of one that contains them. */
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
