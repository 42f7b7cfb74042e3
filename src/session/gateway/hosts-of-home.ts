import * as path from 'node:path';
import { isProcessAlive, signalProcess, unavailable } from '../../base/index.ts';
import { hostFiles } from '../../wire/files/host-files.ts';
import { manifestFiles } from '../../wire/files/session-files.ts';
import type { HostedView } from '../../wire/host.ts';
import { askHost } from '../host/ask-host.ts';
import { hostDirectories, type RecordedHost, readHost } from '../host/hosts.ts';
import { readKeeper } from '../records/keeper.ts';
import { readManifestFacts } from '../records/manifest-facts.ts';
import type { SessionContext } from '../session-context.ts';
import { detachLocal } from './detach.ts';
import { endProcess, waitForEnd } from './process-end.ts';

export interface HostedAgent {
  agent_name: string | null;
  session_root: string;
  state: HostedView['state'];
  gateway_port: number | null;
  restarts: number;
}

export interface HostReport {
  pid: number;
  started_at_utc: string;
  directory: string;
  /** It runs and answers. */
  answers: boolean;
  /** How often it was started again after it had ended by itself. */
  restarts: number;
  gateways: HostedAgent[];
}

const PATIENCE_MS = 5000;

/** The hosts of this home that run: usually one or none, and an older one while its gateways move to a newer program. */
export async function hostsOfHome(context: SessionContext): Promise<HostReport[]> {
  const reports = hostDirectories(context.settings.runtimeDir).map(async (directory) => {
    const host = readHost(directory);
    return host && isProcessAlive(host.identity) ? [await reportOf(host)] : [];
  });
  return (await Promise.all(reports)).flat();
}

async function reportOf({ directory, identity, startedAtUtc }: RecordedHost): Promise<HostReport> {
  const said = await askHost(directory, { do: 'status' }, PATIENCE_MS);
  const answers = typeof said === 'object' && said.ok;
  return {
    pid: identity.pid,
    started_at_utc: startedAtUtc,
    directory,
    answers,
    restarts: readKeeper(hostFiles(directory))?.restarts ?? 0,
    gateways: answers ? said.gateways.map(agentOf) : [],
  };
}

function agentOf({ root, state, port, restarts }: HostedView): HostedAgent {
  const session = path.dirname(root);
  return {
    agent_name: nameOf(session),
    session_root: session,
    state,
    gateway_port: port,
    restarts,
  };
}

function nameOf(sessionRoot: string): string | null {
  try {
    return readManifestFacts(manifestFiles(sessionRoot).manifest).agentName;
  } catch {
    return null;
  }
}

/** Detaches every gateway of every host; each host ends with its last one. One that does not answer is ended by force. */
export async function stopHosts(context: SessionContext): Promise<HostReport[]> {
  const reports = await hostsOfHome(context);
  for (const { directory, gateways, answers } of reports) {
    for (const { session_root } of gateways)
      await detachLocal(context, manifestFiles(session_root).manifest, { until: 'host_start' }).catch(
        () => {},
      );
    if (answers) await askHost(directory, { do: 'stop' }, PATIENCE_MS);
    await requireEnd(context, directory);
  }
  return reports;
}

async function requireEnd({ clock }: SessionContext, directory: string): Promise<void> {
  const host = readHost(directory);
  if (!host || (await waitForEnd(host.identity, PATIENCE_MS, clock))) return;
  const keeper = readKeeper(hostFiles(directory));
  if (keeper) signalProcess(keeper.identity, 'SIGTERM');
  if ((await endProcess(host.identity, clock)) !== 'nothing') return;
  throw unavailable(`host ${host.identity.pid} does not end`, { hint: 'end it by hand' });
}
