/**
 * How often the fleet server receives a heartbeat of an agent's gateway, in seconds. A gateway keeps one heartbeat open at
 * the server for `held`, and sends the next when it is answered. `unheld` is the pause after one that the server did not
 * hold.
 */
export const HEARTBEAT = { held: 25, unheld: 30 } as const;
interface ServerSetting {
  variable: string;
  fallback: number;
  /** Without the default, which is added. */
  meaning: string;
  /** Instead of the default number, if 0 turns something off. */
  without?: string;
}

/** Numbers of the fleet server, each with its variable. A value that is not a number above zero is logged and ignored. */
export const SERVER_SETTINGS = {
  /** An agent that misses five heartbeats still counts as online. */
  livenessSeconds: {
    variable: 'REMOTE_LIVENESS_STALE_AFTER',
    fallback: 6 * HEARTBEAT.unheld,
    meaning: 'Seconds without a heartbeat after which an agent is offline.',
  },
  keepMessagesDays: {
    variable: 'ROUSE_KEEP_MESSAGES_DAYS',
    fallback: 7,
    meaning: 'Days for which the fleet server keeps delivered messages.',
  },
  keepDeadLettersDays: {
    variable: 'ROUSE_KEEP_DEAD_LETTERS_DAYS',
    fallback: 30,
    meaning: 'Days for which it keeps messages that could not be delivered.',
  },
  keepRequestsDays: {
    variable: 'ROUSE_KEEP_REQUESTS_DAYS',
    fallback: 365,
    meaning:
      'Days for which it keeps requests that have ended, with their threads and events. Open ones are always kept.',
  },
  keepCallsDays: {
    variable: 'ROUSE_KEEP_CALLS_DAYS',
    fallback: 30,
    meaning: 'Days for which it keeps records of who requested what of an agent on another host.',
  },
  nudgeIntervalSeconds: {
    variable: 'REQUEST_NUDGE_SWEEPER_INTERVAL_S',
    fallback: 300,
    meaning: 'Seconds between two passes.',
  },
  nudgeStaleAfterSeconds: {
    variable: 'REQUEST_NUDGE_STALE_AFTER_S',
    fallback: 600,
    meaning: 'Age in seconds after which an unanswered request is announced.',
  },
  nudgeAgainAfterSeconds: {
    variable: 'REQUEST_NUDGE_RENUDGE_AFTER_S',
    fallback: 3600,
    meaning: 'Seconds before the same request is announced again.',
  },
  nudgeBatchLimit: {
    variable: 'REQUEST_NUDGE_BATCH_LIMIT',
    fallback: 200,
    meaning: 'Agents in one pass.',
  },
  nudgeAgentSpacingSeconds: {
    variable: 'REQUEST_NUDGE_AGENT_SPACING_S',
    fallback: 0,
    meaning: 'Seconds between two nudges to one agent.',
    without: 'Default 0: no such rule.',
  },
  nudgeMax: {
    variable: 'REQUEST_NUDGE_MAX',
    fallback: 0,
    meaning: 'Unanswered nudges after which the requester is notified.',
    without: 'Default: never.',
  },
  nudgeHeartbeatMaxAgeSeconds: {
    variable: 'REQUEST_NUDGE_HEARTBEAT_MAX_AGE_S',
    fallback: 0,
    meaning: 'Nudge only agents with a heartbeat within this many seconds.',
    without: 'Default: `online` is enough.',
  },
} as const satisfies Record<string, ServerSetting>;

export type ServerSettingName = keyof typeof SERVER_SETTINGS;

/** The description of a setting in documents. */
export function serverSettingMeaning(name: ServerSettingName): string {
  const { meaning, fallback, without }: ServerSetting = SERVER_SETTINGS[name];
  return `${meaning} ${without ?? `Default ${fallback}.`}`;
}
