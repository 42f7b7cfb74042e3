import type { Log } from '../../base/index.ts';
import { SERVER_SETTINGS, type ServerSettingName } from '../../domain/index.ts';
import { isTrue, positiveSeconds } from '../sweep/index.ts';

export interface NudgeSettings {
  disabled: boolean;
  intervalSeconds: number;
  /** An item must be older than this before it is announced. */
  staleAfterSeconds: number;
  /** Minimum time before the same item is announced again. */
  renudgeAfterSeconds: number;
  /** Agents per pass. */
  batchLimit: number;
  /** Minimum time between nudges to the same agent; 0: none. */
  agentSpacingSeconds: number;
  /** Double the wait after each unanswered nudge, up to a day. */
  backoff: boolean;
  /** After this many unanswered nudges the requester is notified; 0: never. */
  maxNudges: number;
  /** An agent without a heartbeat for longer is silent, not idle; 0: `online` is enough. */
  heartbeatMaxAgeSeconds: number;
}

const MAX_AGENTS = 10_000;

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

/** Read once, at the start. A value that is not a number above zero is logged and replaced by the default. */
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
  settings.batchLimit = Math.min(settings.batchLimit, MAX_AGENTS);
  return settings;
}
