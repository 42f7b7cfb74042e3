import { asRouseError, crashPoint, RouseError } from '../../base/index.ts';
import { HAND_OVER_SIGNAL } from '../../domain/index.ts';
import { closeGatewayWindow } from '../records/gateway-window.ts';
import type { RecordedGateway } from '../records/live-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import type { SessionContext } from '../session-context.ts';
import type { AttachPlan } from './attach-plan.ts';
import { endGateway } from './end-gateway.ts';
import { changesInWords, type GatewayChange } from './gateway-changes.ts';
import type { GatewayReport } from './gateway-status.ts';
import { publishLive } from './publish-live.ts';
import { startAndProve, startOnFreePort } from './start-and-prove.ts';

/** What is being typed is waited for: longer than when somebody only wants to be rid of a gateway. */
const PATIENCE_MS = 15_000;

export interface GatewayRestart {
  /** The one that lives, and how it runs. */
  gateway: RecordedGateway;
  running: AttachPlan;
  wanted: AttachPlan;
  changes: readonly GatewayChange[];
}

/**
 * Replaces a live gateway by one with other settings, at the same address. Queue and notifier are on disk; live
 * reminders are handed over. One that does not come up is replaced by one that runs as before.
 */
export async function restartGateway(
  context: SessionContext,
  facts: ManifestFacts,
  restart: GatewayRestart,
): Promise<GatewayReport> {
  const { gateway, wanted } = restart;
  context.progress?.('restarting the gateway');
  crashPoint('session.restart.before_end');
  await endGateway(context, facts, gateway, { ask: HAND_OVER_SIGNAL, patienceMs: PATIENCE_MS });
  await closeGatewayWindow(context, facts, gateway);
  crashPoint('session.restart.ended');
  try {
    const next = await startAndProve(context, facts, wanted, gateway.port);
    return await publishLive(context, facts, next, wanted);
  } catch (error) {
    throw await bringBack(context, facts, restart, asRouseError(error));
  }
}

/** Also when the caller has given up: what ran before is not his to end. Returns what to tell him. */
async function bringBack(
  context: SessionContext,
  facts: ManifestFacts,
  { running, changes }: GatewayRestart,
  error: RouseError,
): Promise<RouseError> {
  const patient = { ...context, signal: undefined };
  let after = 'it was brought back as it was';
  let broughtBack = true;
  try {
    const again = await startOnFreePort(patient, facts, running);
    await publishLive(patient, facts, again, running);
  } catch (thrown) {
    broughtBack = false;
    after = `it could not be brought back either: ${asRouseError(thrown).message}`;
  }
  return new RouseError(
    error.code,
    `the gateway could not be restarted with ${changesInWords(changes) || 'another keeper'}: ${error.message}; ${after}`,
    {
      ...(error.hint !== undefined && { hint: error.hint }),
      facts: { ...error.facts, brought_back: broughtBack },
      cause: error,
    },
  );
}
