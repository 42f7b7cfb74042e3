import { invalid } from '../base/index.ts';

/** How much there may be of what somebody else decides. Each limit has a variable that sets another. */
const ROWS = {
  addressLength: row('ROUSE_MAX_ADDRESS_LENGTH', 320, 'Characters of a mail address in a body'),
  nameLength: row('ROUSE_MAX_NAME_LENGTH', 64, 'Characters of the name of an agent'),
  recipients: row('ROUSE_MAX_RECIPIENTS', 100, 'Recipients of one message, and copies as many'),
  keysLength: row('ROUSE_MAX_KEYS_LENGTH', 100_000, 'Characters of one sequence of raw keys'),
  remindersPerBody: row('ROUSE_MAX_REMINDERS_PER_BODY', 1000, 'Reminders made by one call'),
  liveReminders: row('ROUSE_MAX_LIVE_REMINDERS', 10_000, 'Live reminders of one agent'),
  queueRows: row('ROUSE_MAX_QUEUE_ROWS', 100_000, 'Requests that wait for one agent'),
  queueBytes: row('ROUSE_MAX_QUEUE_BYTES', 256 * 1024 * 1024, 'Bytes of what waits for one agent'),
  followersPerOrg: row('ROUSE_MAX_FOLLOWERS_PER_ORG', 100, 'Followers of A2A tasks in one org'),
  followers: row('ROUSE_MAX_FOLLOWERS', 500, 'Followers of A2A tasks on one fleet server'),
};

export type LimitName = keyof typeof ROWS;

interface LimitRow {
  variable: string;
  standard: number;
  meaning: string;
}

function row(variable: string, standard: number, meaning: string): LimitRow {
  return { variable, standard, meaning };
}

export const LIMITS: Readonly<Record<LimitName, LimitRow>> = ROWS;

const inForce = Object.fromEntries(
  Object.entries(LIMITS).map(([name, { standard }]) => [name, standard]),
) as Record<LimitName, number>;

export function limit(name: LimitName): number {
  return inForce[name];
}

/** Once, when a program starts. */
export function setLimits(env: Readonly<Record<string, string | undefined>>): void {
  for (const [name, { variable }] of Object.entries(LIMITS)) {
    const given = env[variable];
    if (given === undefined || given === '') continue;
    const value = Number(given);
    if (!Number.isSafeInteger(value) || value < 1)
      throw invalid(`${variable} must be a whole number above zero, but is "${given.slice(0, 40)}"`);
    inForce[name as LimitName] = value;
  }
}
