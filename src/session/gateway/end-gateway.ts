import * as fs from 'node:fs';
import {
  type Clock,
  childrenOf,
  conflict,
  identifyProcess,
  isProcessAlive,
  type ProcessIdentity,
  signalProcess,
} from '../../base/index.ts';
import { endInHost, hostOf } from '../host/end-in-host.ts';
import { isKept, readKeeper } from '../records/keeper.ts';
import { claimsAgentWindow, type RecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { type SessionPaths, sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { type EndedBy, type EndOptions, endProcess, waitForEnd } from './process-end.ts';

/** Ends the recorded gateway and its keeper, and only them. One that claims the agent's own window is never acted upon. */
export async function endGateway(
  context: SessionContext,
  facts: ManifestFacts,
  gateway: RecordedGateway | undefined,
  how?: EndOptions,
): Promise<EndedBy> {
  const paths = sessionPaths(facts.root);
  if (gateway && claimsAgentWindow(gateway)) {
    throw conflict(
      `the recorded gateway claims window 0 of "${facts.tmuxSessionName}", which belongs to the agent`,
      {
        hint: `nothing was stopped; look at ${paths.currentInstance}`,
        facts: { cause: 'reserved_window' },
      },
    );
  }
  if (gateway || isKept(paths)) context.progress?.('waiting for the gateway to end');
  const ended = await endForGood(paths, gateway?.identity, context.clock, how);
  if (ended !== 'nothing') return ended;
  throw conflict(
    `process ${gateway?.identity.pid} cannot be proven to be this session's gateway, or does not end`,
    {
      hint: 'nothing was changed; end it by hand',
      facts: { cause: 'gateway_not_stopped', pid: gateway?.identity.pid },
    },
  );
}

/**
 * The keeper is told first, so that it takes the end for asked; what it is about to start ends with it. `nothing`: the
 * gateway still runs.
 */
export async function endForGood(
  paths: SessionPaths,
  gateway: ProcessIdentity | undefined,
  clock: Clock,
  how: EndOptions = {},
): Promise<EndedBy> {
  const host = hostOf(paths);
  if (host !== undefined) return endHosted(paths, host, clock, how);
  const alive = gateway !== undefined && isProcessAlive(gateway);
  if (alive && gateway.startTicks === null) return 'nothing';
  const keeper = readKeeper(paths)?.identity;
  const { ask = 'SIGTERM' } = how;
  if (keeper) signalProcess(keeper, ask);
  const ended = gateway ? await endProcess(gateway, clock, how) : 'already';
  if (ended === 'nothing') return ended;
  if (keeper) await endKeeper(keeper, clock);
  fs.rmSync(paths.keeper, { force: true });
  return alive && ended === 'already' ? ask : ended;
}

/** Ends what a start has begun, before it has said who it is: a gateway, or its keeper and whatever that has started. */
export async function endStarted(
  paths: SessionPaths,
  { identity: started, hosted }: { identity: ProcessIdentity; hosted: boolean },
  clock: Clock,
  how?: EndOptions,
): Promise<void> {
  const host = hostOf(paths);
  if (host !== undefined) await endHosted(paths, host, clock, how);
  if (hosted || host !== undefined) return;
  if (readKeeper(paths)?.identity.pid !== started.pid) await endProcess(started, clock, how);
  else await endKeeper(started, clock, how);
}

/** One that has to be killed takes its child along: nobody else would know of it. */
async function endKeeper(keeper: ProcessIdentity, clock: Clock, how?: EndOptions): Promise<void> {
  const children = isProcessAlive(keeper)
    ? childrenOf(keeper.pid).flatMap((pid) => identifyProcess(pid) ?? [])
    : [];
  if ((await endProcess(keeper, clock, how)) !== 'SIGKILL') return;
  for (const child of children) signalProcess(child, 'SIGKILL');
  await Promise.all(children.map((child) => waitForEnd(child, 2000, clock)));
}

async function endHosted(
  paths: SessionPaths,
  host: string,
  clock: Clock,
  { ask = 'SIGTERM', patienceMs = 5000 }: EndOptions = {},
): Promise<EndedBy> {
  const ended = await endInHost(paths, host, { handOver: ask !== 'SIGTERM', patienceMs, clock });
  return ended === 'asked' ? ask : ended === 'killed' ? 'SIGKILL' : ended;
}
