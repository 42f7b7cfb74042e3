import {
  childrenOf,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  processStatus,
  signalProcess,
} from '../../base/index.ts';
import type { HostFiles } from '../../wire/files/host-files.ts';
import { readKeeper } from '../records/keeper.ts';

/** A keeper that is about to start its host or gateway again does so at once. Undefined when there is none. */
export function hurryKeeper(files: Pick<HostFiles, 'keeper'>): ProcessIdentity | undefined {
  const keeper = readKeeper(files);
  if (!keeper || keeper.gaveUp || !isProcessAlive(keeper.identity)) return undefined;
  for (const pid of childrenOf(keeper.identity.pid)) {
    const pause = processStatus(pid)?.command === 'sleep' && identifyProcess(pid);
    if (pause) signalProcess(pause, 'SIGTERM');
  }
  return keeper.identity;
}
