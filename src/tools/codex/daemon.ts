import * as os from 'node:os';
import * as path from 'node:path';
import { isProcessAlive, processVariable } from '../../base/index.ts';
import { readObject } from '../signals/watched-file.ts';

/**
 * The process that keeps the conversations of every codex of a home; undefined if none runs. Codex records its number and
 * start time, so another process with that number is not mistaken for it.
 */
export function daemonOf(codex: number): number | undefined {
  const home =
    processVariable(codex, 'CODEX_HOME') ??
    path.join(processVariable(codex, 'HOME') ?? os.homedir(), '.codex');
  const noted = readObject(path.join(home, 'app-server-daemon', 'daemon.pid'));
  const identity = (noted?.['processIdentity'] ?? {}) as { startTicks?: unknown; bootId?: unknown };
  const { startTicks, bootId } = identity;
  const pid = noted?.['pid'];
  if (typeof pid !== 'number' || typeof startTicks !== 'number' || typeof bootId !== 'string')
    return undefined;
  return isProcessAlive({ pid, startTicks, bootId }) ? pid : undefined;
}
