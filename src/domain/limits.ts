import { currentTenant, invalid } from '../base/index.ts';

interface LimitRow {
  variable: string;
  standard: number;
  /** What is counted, as written after the number. */
  unit: string;
  meaning: string;
  /** What a caller who met the limit can do instead of raising it. */
  instead: string;
  /** No variable sets more. */
  max: number;
}

type RowInput = Omit<LimitRow, 'max'> & { max?: number };

const row = ({ max = Number.MAX_SAFE_INTEGER, ...rest }: RowInput): LimitRow => ({ ...rest, max });

/**
 * Limits on what callers decide. Each has a variable that sets it, a sentence in the documents of what it applies to
 * (`limitSentence`), and an error that says what to do (`limitHint`).
 */
const ROWS = {
  addressLength: row({
    variable: 'ROUSE_MAX_ADDRESS_LENGTH',
    standard: 320,
    unit: 'characters',
    meaning: 'Characters of a mail address in a body',
    instead: 'use a shorter address',
  }),
  nameLength: row({
    variable: 'ROUSE_MAX_NAME_LENGTH',
    standard: 64,
    unit: 'characters',
    meaning: 'Characters of the name of an agent',
    instead: 'choose a shorter name',
    // Names become directories and parts of tmux session names.
    max: 128,
  }),
  recipients: row({
    variable: 'ROUSE_MAX_RECIPIENTS',
    standard: 100,
    unit: 'entries',
    meaning: 'Recipients of one message, and copies as many',
    instead: 'send several messages',
    max: 1000,
  }),
  attachments: row({
    variable: 'ROUSE_MAX_ATTACHMENTS',
    standard: 100,
    unit: 'entries',
    meaning: 'Attachments of one message',
    instead: 'send several messages, or attach an archive',
    max: 1000,
  }),
  attachmentBytes: row({
    variable: 'ROUSE_MAX_ATTACHMENT_BYTES',
    standard: 16 * 1024 * 1024,
    unit: 'bytes in the attachments of a message',
    meaning:
      'Bytes of all attachments of one message that a fleet server carries, or that anyone but the owner sends',
    instead: 'attach less, or say where the file can be found',
    // The server keeps them in its database.
    max: 256 * 1024 * 1024,
  }),
  localAttachmentBytes: row({
    variable: 'ROUSE_MAX_LOCAL_ATTACHMENT_BYTES',
    standard: 1024 * 1024 * 1024,
    unit: 'bytes in the attachments of a message',
    meaning: 'Bytes of all attachments of one message that its owner sends in a mail store of this host',
    instead: 'attach less, or say where the file can be found',
  }),
  bodyBytes: row({
    variable: 'ROUSE_MAX_BODY_BYTES',
    standard: 4 * 1024 * 1024,
    unit: 'bytes',
    meaning: 'Bytes of the body of one HTTP request',
    instead: 'send it in parts, or put long text into a file',
    // A body is parsed in one go, and nothing else can run until that is done.
    max: 64 * 1024 * 1024,
  }),
  typedBytes: row({
    variable: 'ROUSE_MAX_TYPED_BYTES',
    standard: 256 * 1024,
    unit: 'bytes',
    meaning: 'Bytes of one prompt that is typed into a terminal',
    instead: 'put long text into a file and name it in the prompt',
    max: 4 * 1024 * 1024,
  }),
  keysLength: row({
    variable: 'ROUSE_MAX_KEYS_LENGTH',
    standard: 100_000,
    unit: 'characters',
    meaning: 'Characters of one sequence of raw keys',
    instead: 'send it in parts',
  }),
  remindersPerBody: row({
    variable: 'ROUSE_MAX_REMINDERS_PER_BODY',
    standard: 1000,
    unit: 'entries',
    meaning: 'Reminders made by one call',
    instead: 'create them with several calls',
    max: 10_000,
  }),
  liveReminders: row({
    variable: 'ROUSE_MAX_LIVE_REMINDERS',
    standard: 10_000,
    unit: 'live reminders of the agent',
    meaning: 'Live reminders of one agent',
    instead: 'remove some first, let one of them repeat',
  }),
  queueRows: row({
    variable: 'ROUSE_MAX_QUEUE_ROWS',
    standard: 100_000,
    unit: 'requests that wait for the agent',
    meaning: 'Requests that wait for one agent',
    instead: 'wait until some are done, cancel what is not needed',
  }),
  queueBytes: row({
    variable: 'ROUSE_MAX_QUEUE_BYTES',
    standard: 256 * 1024 * 1024,
    unit: 'bytes of requests that wait for the agent',
    meaning: 'Bytes of what waits for one agent',
    instead: 'wait until some are done, cancel what is not needed',
  }),
  automaticReplies: row({
    variable: 'ROUSE_MAX_AUTOMATIC_REPLIES',
    standard: 20,
    unit: 'automatic replies in a row',
    meaning: 'Replies of agents in a row, without a person, after which a thread wakes no one',
    instead: 'write into the thread, or resume it',
    // Each new message is followed back this far.
    max: 1000,
  }),
  followersPerOrg: row({
    variable: 'ROUSE_MAX_FOLLOWERS_PER_ORG',
    standard: 100,
    unit: 'followers of tasks in an org',
    meaning: 'Followers of A2A tasks in one org',
    instead: 'ask with GetTask',
  }),
  followers: row({
    variable: 'ROUSE_MAX_FOLLOWERS',
    standard: 500,
    unit: 'followers of tasks on the server',
    meaning: 'Followers of A2A tasks on one fleet server',
    instead: 'ask with GetTask',
  }),
  agentsPerOrg: row({
    variable: 'ROUSE_MAX_AGENTS_PER_ORG',
    standard: 20_000,
    unit: 'agents in an org',
    meaning: 'Agents of one org on a fleet server, without those that were removed',
    instead: 'remove agents that are gone',
  }),
  tokensPerOrg: row({
    variable: 'ROUSE_MAX_TOKENS_PER_ORG',
    standard: 10_000,
    unit: 'tokens of people in an org',
    meaning: 'Good tokens of people and administrators of one org',
    instead: 'revoke tokens that are not needed',
  }),
  connections: row({
    variable: 'ROUSE_MAX_CONNECTIONS',
    standard: 4096,
    unit: 'connections at once',
    meaning: 'Connections one server holds; fewer where it may open fewer files',
    instead: 'close some',
  }),
  requestsPerSecond: row({
    variable: 'ROUSE_MAX_REQUESTS_PER_SECOND',
    standard: 100,
    unit: 'requests per second and token, with four times as many at once',
    meaning:
      'Requests per second to a fleet server, of each token and of each address that sends none; four times as many at once',
    instead: 'ask less often',
  }),
  badTokens: row({
    variable: 'ROUSE_MAX_BAD_TOKENS',
    standard: 20,
    unit: 'bad tokens of one address, and one more each second',
    meaning:
      'Bad tokens that a fleet server accepts from one address before it refuses more, with one more each second',
    instead: 'wait',
  }),
};

export type LimitName = keyof typeof ROWS;

export const LIMITS: Readonly<Record<LimitName, LimitRow>> = ROWS;

type Limits = Record<LimitName, number>;

const HOME = Symbol.for('rouse.limits');

/** Kept for the process, not for this module, because a process may hold two bundles with a copy of it each. */
const inForce = ((globalThis as { [HOME]?: Limits })[HOME] ??= Object.fromEntries(
  Object.entries(LIMITS).map(([name, { standard }]) => [name, standard]),
) as Limits);

/** Returns the limit, as the tenant's environment sets it if there are tenants. */
export function limit(name: LimitName): number {
  const own = currentTenant()?.own.get(HOME) as Limits | undefined;
  return (own ?? inForce)[name];
}

/** What to do when a limit is met. */
export function limitHint(name: LimitName): string {
  const { instead, variable } = LIMITS[name];
  return `${instead}, or raise ${variable}`;
}

/** The limit in documents, which are written before anyone sets another. */
export function limitSentence(name: LimitName): string {
  const { standard, unit, variable } = LIMITS[name];
  return `At most ${standard} ${unit}; \`${variable}\` sets another limit.`;
}

/** Call once when a program or a tenant starts. */
export function setLimits(env: Readonly<Record<string, string | undefined>>): void {
  const tenant = currentTenant();
  const limits = tenant ? { ...inForce } : inForce;
  tenant?.own.set(HOME, limits);
  for (const [name, { variable, max }] of Object.entries(LIMITS)) {
    const typed = env[variable];
    if (typed === undefined || typed === '') continue;
    const value = Number(typed);
    const range = max < Number.MAX_SAFE_INTEGER ? `from 1 to ${max}` : 'above zero';
    if (!Number.isSafeInteger(value) || value < 1 || value > max)
      throw invalid(`${variable} must be a whole number ${range}, but is "${typed.slice(0, 40)}"`, {
        hint: 'see docs/environment.md',
      });
    limits[name as LimitName] = value;
  }
}
