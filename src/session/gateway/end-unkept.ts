import { isProcessAlive } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import { askHost } from '../host/ask-host.ts';
import { readHost } from '../host/hosts.ts';
import { isUnkept } from '../records/keeper.ts';
import type { SessionContext } from '../session-context.ts';
import { waitForEnd } from './process-end.ts';

/** What is being typed is waited for. */
const PATIENCE_MS = 15_000;

/**
 * Ends a host whose keeper was killed: a process gets no other parent, so the next attach starts one that is kept. Its
 * gateways are still wanted, and their live reminders are left to those that come after.
 */
export async function endUnkept({ clock }: SessionContext, directory: string): Promise<void> {
  const host = readHost(directory);
  if (!host || !isProcessAlive(host.identity) || !isUnkept(hostFiles(directory))) return;
  await askHost(directory, { do: 'stop', hand_over: true }, PATIENCE_MS);
  await waitForEnd(host.identity, PATIENCE_MS, clock);
}
