import * as z from 'zod';
import {
  codesOf,
  LIMITS,
  MESSAGE_TURNS,
  REQUEST_OUTCOMES,
  STANDINGS,
  WORKSPACE_STATUSES,
} from '../../domain/index.ts';
import {
  about,
  bounded,
  count,
  instant,
  integer,
  isStorableJson,
  NOT_STORABLE,
  name,
  nameOf,
  names,
  nextPage,
  oneLine,
  oneOf,
  smallJson,
  stamp,
  strict,
  text,
} from '../fields.ts';

const identifier = oneLine.max(200);

/** Of what an agent tells about its gateway: a few addresses. */
export const MAX_GATEWAY_BYTES = 8192;

/** Where a session runs and what watches it, told with each registration and each beat. */
const hostFacts = {
  host: about('The host it runs on, for people.', identifier).optional(),
  host_id: about("The id that the host's home keeps; stays when the name changes.", identifier).optional(),
  version: about('Of the Rouse that runs there.', identifier).optional(),
};

/** As its gateway says; of one that is not heard of, its status. */
export const AGENT_STATES = [...STANDINGS, ...codesOf(WORKSPACE_STATUSES)] as const;

/** Body of `POST /registry/register`. */
export const registerBody = name(
  'FleetRegisterBody',
  strict({
    agent_id: about('Authoritative id of the agent; the same id keeps its workspace.', nameOf('agent', 128)),
    name: bounded('nameLength', nameOf('agent', 128), 'What people call it.'),
    tool: names('command', 'stored_only', identifier.optional()),
    session_id: about('Which session of the agent this is; an older one is fenced off.', nameOf('session')),
    ...hostFacts,
    host: about('The host it runs on, for people.', nameOf('host')).optional(),
    take_over: about(
      'Throw out another session of the agent that still beats. Default: that is a conflict.',
      z.boolean(),
    ).default(false),
    gateway: names(
      'url',
      'stored_only',
      about(
        'Where its gateway is, as the agent says.',
        smallJson(z.record(z.string(), z.unknown()), MAX_GATEWAY_BYTES),
      ).optional(),
    ),
    max_concurrent_tasks: integer.min(1).max(64).default(1),
    org: about('Only for an administrator of the whole server. Default: `default`.', identifier).optional(),
    parent: about('Id, agent id or name of the workspace above it.', identifier).optional(),
  }),
);

export const registered = name(
  'FleetRegistered',
  strict({
    workspace_id: z.string(),
    org_id: z.string(),
    status: oneOf(WORKSPACE_STATUSES),
    auth_token: about('The agent token. Shown once; only its hash is kept.', z.string()),
  }),
);

/** What became of a message that was handed over; `accepted` only once it is in the gateway's own queue. */
export const deliveryAck = strict({
  id: z.uuid(),
  attempt: integer.min(1),
  result: z.enum(['accepted', 'refused']),
  request_id: about('Of the request the gateway made of it.', identifier).optional(),
  reason: about('Why it was refused.', text.max(2000)).optional(),
  permanent: about('Refused for good: trying again cannot help.', z.boolean()).default(false),
});

/** How the gateway's request for a message ended, told once it has. */
export const outcomeReport = strict({
  id: z.uuid(),
  request_id: identifier,
  outcome: oneOf(REQUEST_OUTCOMES),
  at: instant,
  turn_follows: about('What happens to its turn is reported later, in `turns`.', z.boolean()).default(false),
});

/** What became of the turn of a message that was submitted. */
export const turnReport = strict({
  id: z.uuid(),
  request_id: identifier,
  state: oneOf(MESSAGE_TURNS),
  at: instant,
  result: about('How the turn ended: `success`, `interrupted`, `known_failure`.', text.max(100)).optional(),
  evidence: about('Where its end was seen.', text.max(100)).optional(),
  detail: about('Why, in words.', text.max(500)).optional(),
  answer: about('What the tool says it answered.', text.max(70_000)).optional(),
  answer_cut: about('The answer was longer.', z.boolean()).optional(),
});

const acks = z.array(deliveryAck).max(100).default([]);
const outcomes = z.array(outcomeReport).max(100).default([]);
const turns = z.array(turnReport).max(20).default([]);

/** Body of `POST /registry/heartbeat`. */
export const heartbeatBody = name(
  'FleetHeartbeatBody',
  strict({
    session_id: identifier,
    instance_id: about(
      'Of the gateway process; with `beat`, distinguishes a late beat from a current one.',
      identifier,
    ).optional(),
    beat: about('Counts the beats of that process.', count).default(0),
    active_tasks: count.max(10_000),
    accepting: about(
      'False: do not hand out messages now; the agent could not be given them.',
      z.boolean(),
    ).default(true),
    current_task: text.max(500).nullable().optional(),
    error_rate: z.number().min(0).max(1).default(0),
    sample_error: text.max(500).nullable().optional(),
    runtime_state: about('`wedged` says that it cannot work.', z.enum(['', 'wedged'])).default(''),
    uptime_seconds: count.optional(),
    state: about('How it stands with the agent, as lists show it.', z.enum(STANDINGS)).optional(),
    ...hostFacts,
    leaving: about(
      'The gateway stops: the agent is offline now, not when it is missed.',
      z.boolean(),
    ).default(false),
    wait_seconds: about(
      'Hold the answer this long for a message to come.',
      z.number().min(0).max(25),
    ).default(0),
    mail_version: about(
      'The version of its mailbox on this server that the gateway knows; the answer is then held for mail, too.',
      text.max(100),
    ).optional(),
    takes_calls: about('It does what people of other hosts ask of it, and answers.', z.boolean()).default(
      false,
    ),
    acks,
    outcomes,
    turns,
  }),
);

/** Something asked of the gateway from another host: one of its own routes. */
export const handedCall = name(
  'FleetHandedCall',
  strict({
    id: z.string(),
    caller: about('Who asks, as the server knows.', z.string()),
    method: z.string(),
    path: z.string(),
    body: z.unknown(),
  }),
);

/** Body of `POST /registry/calls/{call_id}/answer`. */
export const callAnswerBody = name(
  'FleetCallAnswerBody',
  strict({
    status: integer.min(200).max(599),
    answer: about(
      'The JSON of the answer.',
      smallJson(z.unknown(), LIMITS.bodyBytes.standard).refine(isStorableJson, NOT_STORABLE),
    ).optional(),
  }),
);

export const callAnswered = name(
  'FleetCallAnswered',
  strict({ recorded: about('False: it was answered before, or nobody waits for it.', z.boolean()) }),
);

export const leasedMessage = name(
  'FleetLeasedMessage',
  strict({
    id: z.string(),
    attempt: integer,
    method: z.string().nullable(),
    body: z.unknown(),
    priority: integer,
    expires_at: stamp.nullable(),
    idempotency_key: z.string().nullable(),
  }),
);

export const heartbeatAnswer = name(
  'FleetHeartbeatAnswer',
  strict({
    status: z.literal('ok'),
    workspace_id: z.string(),
    workspace_status: oneOf(WORKSPACE_STATUSES),
    messages: z.array(leasedMessage),
    mail_version: about('Only where one was told.', z.string()).optional(),
    calls: about('Given out once, and only to a gateway that takes them.', z.array(handedCall)),
    next_heartbeat_seconds: about('Beat again at the latest after this long.', z.number()),
  }),
);

/** Body of `POST /registry/deliveries/ack`, for a gateway that will not beat again soon. */
export const ackBody = name('FleetAckBody', strict({ session_id: identifier, acks, outcomes, turns }));

export const ackAnswer = name(
  'FleetAckAnswer',
  strict({
    acknowledged: about('Acks that were current.', count),
    late: about('Acks whose lease was over; the message has another fate by now.', count),
    outcomes_recorded: count,
  }),
);

/** An agent as the fleet knows it. */
export const workspaceView = name(
  'FleetWorkspace',
  strict({
    workspace_id: z.string(),
    org_id: z.string(),
    org: z.string(),
    parent_id: z.string().nullable(),
    agent_id: z.string(),
    name: z.string(),
    tool: z.string().nullable(),
    status: oneOf(WORKSPACE_STATUSES),
    accepting: z.boolean(),
    status_changed_at: stamp,
    session_id: z.string().nullable(),
    host: about('Where that session runs, as it said.', z.string()).nullable(),
    host_id: about('The same host under whatever name.', z.string()).nullable(),
    version: about('Of the Rouse that watches it.', z.string()).nullable(),
    state: about('How it stands with it; its status while nobody hears of it.', z.enum(AGENT_STATES)),
    since: about("When that began, by the server's clock.", stamp),
    gateway: z.record(z.string(), z.unknown()).nullable(),
    last_heartbeat_at: stamp.nullable(),
    heartbeat_age_seconds: z.number().nullable(),
    active_tasks: count,
    max_concurrent_tasks: count,
    current_task: z.string().nullable(),
    error_rate: z.number(),
    sample_error: z.string().nullable(),
    uptime_seconds: integer.nullable(),
    queue_depth: about('Messages that wait for it.', count),
    registered_at: stamp,
    removed_at: stamp.nullable(),
  }),
);

/** The same without what only one agent is asked for. */
export const workspaceListed = name('FleetWorkspaceListed', workspaceView.omit({ gateway: true }));

export const workspaceList = name(
  'FleetWorkspaceList',
  strict({ agents: z.array(workspaceListed), ...nextPage }),
);

export const workspaceListQuery = strict({
  status: oneOf(WORKSPACE_STATUSES).optional(),
  state: z.enum(AGENT_STATES).optional(),
  host: about('Name or id of a host.', identifier).optional(),
  tool: names('command', 'stored_only', identifier.optional()),
  org: about('Only for an administrator of the whole server.', identifier).optional(),
  limit: about('1 to 1000. Default 200.', integer.min(1).max(1000).optional()),
  cursor: about('`next_cursor` of the page before.', z.uuid().optional()),
  after: about('The same: only agents whose id comes after this one.', z.uuid().optional()),
});

export type RegisterInput = z.input<typeof registerBody>;
export type Registered = z.infer<typeof registered>;
export type HeartbeatInput = z.input<typeof heartbeatBody>;
export type HeartbeatBody = z.output<typeof heartbeatBody>;
export type HeartbeatAnswer = z.infer<typeof heartbeatAnswer>;
export type HandedCall = z.infer<typeof handedCall>;
export type LeasedMessage = z.infer<typeof leasedMessage>;
export type DeliveryAck = z.infer<typeof deliveryAck>;
export type OutcomeReport = z.infer<typeof outcomeReport>;
export type TurnReport = z.infer<typeof turnReport>;
export type AgentState = (typeof AGENT_STATES)[number];
export type WorkspaceView = z.infer<typeof workspaceView>;
export type WorkspaceListed = z.infer<typeof workspaceListed>;
export type WorkspaceList = z.infer<typeof workspaceList>;
