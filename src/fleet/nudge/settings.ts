import type { Log } from '../../base/index.ts';
import { SERVER_SETTINGS, type ServerSettingName } from '../../domain/index.ts';
import { isTrue, positiveSeconds } from '../sweep/index.ts';

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

const MOST_AGENTS = 10_000;

type NumberSetting = {
  [K in keyof NudgeSettings]: NudgeSettings[K] extends number ? K : never;
}[keyof NudgeSettings];

const NUMBERS: Readonly<Record<NumberSetting, ServerSettingName>> = {
  intervalSeconds: 'nudgeIntervalSeconds',
  staleAfterSeconds: 'nudgeStaleAfterSeconds',
  renudgeAfterSeconds: 'nudgeAgainAfterSeconds',
  batchLimit: 'nudgeBatchLimit',
  agentSpacingSeconds: 'nudgeAgentSpacingSeconds',
  maxNudges: 'nudgeMax',
  heartbeatMaxAgeSeconds: 'nudgeHeartbeatMaxAgeSeconds',
};
const numbers = Object.entries(NUMBERS) as [NumberSetting, ServerSettingName][];

export const NUDGE_DEFAULTS: Readonly<NudgeSettings> = {
  disabled: false,
  backoff: false,
  ...(Object.fromEntries(numbers.map(([key, name]) => [key, SERVER_SETTINGS[name].fallback])) as Record<
    NumberSetting,
    number
  >),
};

/** Read once, at the start. A number that is none, or not above zero, is told and replaced by the default. */
export function nudgeSettings(env: Readonly<Record<string, string | undefined>>, log: Log): NudgeSettings {
  const settings: NudgeSettings = {
    ...NUDGE_DEFAULTS,
    disabled: isTrue(env, 'REQUEST_NUDGE_SWEEPER_DISABLED', log),
    backoff: isTrue(env, 'REQUEST_NUDGE_BACKOFF', log),
  };
  for (const [key, name] of numbers) {
    const { variable, fallback } = SERVER_SETTINGS[name];
    settings[key] = positiveSeconds(env, variable, { fallback, log });
  }
  settings.batchLimit = Math.min(settings.batchLimit, MOST_AGENTS);
  return settings;
}
