import { asRouseError, type RouseError } from '../../base/index.ts';
import { type AttachReport, attachLocal } from '../gateway/attach.ts';
import { isWanted } from '../records/absent-gateway.ts';
import type { ManifestFacts } from '../records/manifest-facts.ts';
import { sessionPaths } from '../records/session-paths.ts';
import type { SessionContext } from '../session-context.ts';
import { type RelaunchOptions, type RelaunchReport, relaunch } from './relaunch.ts';

export interface BringBackOptions extends RelaunchOptions {
  /** `as_before`: only when one was attached and has not been detached since. */
  gateway: 'as_before' | 'always';
}

export interface BroughtBack extends RelaunchReport {
  /** Its gateway; undefined when it is to have none, or was not attached. */
  attached: AttachReport | undefined;
  /** The tool runs; only its gateway does not. */
  attachError: RouseError | undefined;
}

/**
 * Starts the tool of an agent again and gives it back its gateway, in the mode it had. Queue, reminders and how it is
 * woken are in the session's own files and continue with the gateway.
 */
export async function bringBack(
  context: SessionContext,
  given: ManifestFacts,
  { gateway, ...options }: BringBackOptions,
): Promise<BroughtBack> {
  const gatewayFollows = gateway === 'always' || isWanted(sessionPaths(given.root));
  const back = await relaunch(context, given, { ...options, gatewayFollows });
  if (!gatewayFollows) return { ...back, attached: undefined, attachError: undefined };
  try {
    const attached = await attachLocal(context, back.facts.path, {});
    return { ...back, attached, attachError: undefined };
  } catch (error) {
    return { ...back, attached: undefined, attachError: asRouseError(error) };
  }
}
