import type { Log } from '../../base/index.ts';
import { positiveSeconds, saysTrue } from '../sweep/index.ts';

export interface NudgeSettings {
  disabled: boolean;
  intervalSeconds: number;
  /** An item is left alone until it is older than this. */
  staleAfterSeconds: number;
  /** The same item is not announced again before this. */
  renudgeAfterSeconds: number;
  /** Agents in one pass. */
  batchLimit: number;
  /** No second nudge to the same agent before this; 0: no such rule. */
  agentSpacingSeconds: number;
  /** Double the wait after each unanswered nudge, up to a day. */
  backoff: boolean;
  /** After so many unanswered nudges the requester is told; 0: never. */
  maxNudges: number;
  /** An agent not heard from for longer is not idle but silent; 0: `online` is enough. */
  heartbeatMaxAgeSeconds: number;
}

export const NUDGE_DEFAULTS: Readonly<NudgeSettings> = {
  disabled: false,
  intervalSeconds: 300,
  staleAfterSeconds: 600,
  renudgeAfterSeconds: 3600,
  batchLimit: 200,
  agentSpacingSeconds: 0,
  backoff: false,
  maxNudges: 0,
  heartbeatMaxAgeSeconds: 0,
};

const MOST_AGENTS = 10_000;

type NumberSetting = {
  [K in keyof NudgeSettings]: NudgeSettings[K] extends number ? K : never;
}[keyof NudgeSettings];

const NUMBERS: Readonly<Record<NumberSetting, string>> = {
  intervalSeconds: 'REQUEST_NUDGE_SWEEPER_INTERVAL_S',
  staleAfterSeconds: 'REQUEST_NUDGE_STALE_AFTER_S',
  renudgeAfterSeconds: 'REQUEST_NUDGE_RENUDGE_AFTER_S',
  batchLimit: 'REQUEST_NUDGE_BATCH_LIMIT',
  agentSpacingSeconds: 'REQUEST_NUDGE_AGENT_SPACING_S',
  maxNudges: 'REQUEST_NUDGE_MAX',
  heartbeatMaxAgeSeconds: 'REQUEST_NUDGE_HEARTBEAT_MAX_AGE_S',
};

/** Read once, at the start. A number that is none, or not above zero, is told and replaced by the default. */
export function nudgeSettings(env: Readonly<Record<string, string | undefined>>, log: Log): NudgeSettings {
  const settings: NudgeSettings = {
    ...NUDGE_DEFAULTS,
    disabled: saysTrue(env['REQUEST_NUDGE_SWEEPER_DISABLED']),
    backoff: saysTrue(env['REQUEST_NUDGE_BACKOFF']),
  };
  for (const [key, name] of Object.entries(NUMBERS) as [NumberSetting, string][]) {
    settings[key] = positiveSeconds(env, name, { fallback: NUDGE_DEFAULTS[key], log });
  }
  settings.batchLimit = Math.min(settings.batchLimit, MOST_AGENTS);
  return settings;
}
