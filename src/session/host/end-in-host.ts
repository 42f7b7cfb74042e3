import * as fs from 'node:fs';
import { type Clock, isProcessAlive, signalProcess, sleep, writeFileAtomic } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import { readKeeper } from '../records/keeper.ts';
import type { SessionPaths } from '../records/session-paths.ts';
import { askHost } from './ask-host.ts';
import { readHost } from './hosts.ts';
import { hurryKeeper } from './hurry-keeper.ts';

const KILL_PATIENCE_MS = 2000;

/** The directory of the host that holds this session's gateway; undefined when it is in none. */
export function hostOf(paths: SessionPaths): string | undefined {
  return readKeeper(paths)?.hostDirectory;
}

/**
 * Ends one gateway in a host. A host that does not answer holds nothing anybody can use: it is killed, its parent starts
 * it again, and the next one takes up all but this.
 */
export async function endInHost(
  paths: SessionPaths,
  directory: string,
  { handOver, patienceMs, clock }: { handOver: boolean; patienceMs: number; clock: Clock },
): Promise<'already' | 'asked' | 'killed' | 'nothing'> {
  const request = { do: 'end', root: paths.gateway, hand_over: handOver } as const;
  const said = await askHost(directory, request, patienceMs);
  if (said === 'silent' || (said === 'nobody' && hostLives(directory)))
    return killHost(paths, directory, clock);
  // One that is about to be started again would take it up.
  if (said === 'nobody') {
    writeFileAtomic(paths.letGo, '', { durable: false });
    hurryKeeper(hostFiles(directory));
  }
  fs.rmSync(paths.keeper, { force: true });
  return typeof said === 'object' && said.ok && said.held ? 'asked' : 'already';
}

function hostLives(directory: string): boolean {
  const host = readHost(directory);
  return host !== undefined && isProcessAlive(host.identity);
}

async function killHost(paths: SessionPaths, directory: string, clock: Clock): Promise<'killed' | 'nothing'> {
  const host = readHost(directory);
  if (!host || host.identity.startTicks === null) return 'nothing';
  writeFileAtomic(paths.letGo, '', { durable: false });
  signalProcess(host.identity, 'SIGKILL');
  const deadline = clock.monotonic() + KILL_PATIENCE_MS;
  while (isProcessAlive(host.identity)) {
    if (clock.monotonic() > deadline) return 'nothing';
    await sleep(clock, 10);
  }
  fs.rmSync(paths.keeper, { force: true });
  return 'killed';
}
