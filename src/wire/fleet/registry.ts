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

/** Maximum size of what an agent reports about its gateway: a few addresses. */
export const MAX_GATEWAY_BYTES = 8192;

/** Where a session runs and what watches it; sent with each registration and heartbeat. */
const hostFacts = {
  host: about('The host it runs on, for people.', identifier).optional(),
  host_id: about(
    'The id kept in the home of the host; it stays when the name changes.',
    identifier,
  ).optional(),
  version: about('Version of Rouse on that host.', identifier).optional(),
};

/** The state that its gateway reports; while none reports, its status. */
export const AGENT_STATES = [...STANDINGS, ...codesOf(WORKSPACE_STATUSES)] as const;

/** Body of `POST /registry/register`. */
export const registerBody = name(
  'FleetRegisterBody',
  strict({
    agent_id: about('Authoritative id of the agent; the same id keeps its workspace.', nameOf('agent', 128)),
    name: bounded('nameLength', nameOf('agent', 128), 'Its name for people.'),
    tool: names('command', 'stored_only', identifier.optional()),
    session_id: about(
      'The session of the agent; older sessions are refused from then on.',
      nameOf('session'),
    ),
    ...hostFacts,
    host: about('The host it runs on, for people.', nameOf('host')).optional(),
    take_over: about(
      'Replace another session of the agent that still sends heartbeats. Default: that is a conflict.',
      z.boolean(),
    ).default(false),
    gateway: names(
      'url',
      'stored_only',
      about(
        'Where its gateway is, as the agent reports it.',
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

/** What a gateway did with a message it received; `accepted` only once it is in the gateway's own queue. */
export const deliveryAck = strict({
  id: z.uuid(),
  attempt: integer.min(1),
  result: z.enum(['accepted', 'refused']),
  request_id: about('The request that the gateway made of it.', identifier).optional(),
  reason: about('Why it was refused.', text.max(2000)).optional(),
  permanent: about('Refused for good: a retry cannot help.', z.boolean()).default(false),
});

/** How the gateway's request for a message ended; sent when it has. */
export const outcomeReport = strict({
  id: z.uuid(),
  request_id: identifier,
  outcome: oneOf(REQUEST_OUTCOMES),
  at: instant,
  turn_follows: about('Its turn is reported later, in `turns`.', z.boolean()).default(false),
});

/** How the turn of a submitted message went. */
export const turnReport = strict({
  id: z.uuid(),
  request_id: identifier,
  state: oneOf(MESSAGE_TURNS),
  at: instant,
  result: about('How the turn ended: `success`, `interrupted`, `known_failure`.', text.max(100)).optional(),
  evidence: about('Where its end was observed.', text.max(100)).optional(),
  detail: about('The reason, for people.', text.max(500)).optional(),
  answer: about('The answer as the tool reports it.', text.max(70_000)).optional(),
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
      'Id of the gateway process; with `beat`, distinguishes a late heartbeat from a current one.',
      identifier,
    ).optional(),
    beat: about('Number of this heartbeat of that process.', count).default(0),
    active_tasks: count.max(10_000),
    accepting: about('False: send no messages now; the agent could not receive them.', z.boolean()).default(
      true,
    ),
    current_task: text.max(500).nullable().optional(),
    error_rate: z.number().min(0).max(1).default(0),
    sample_error: text.max(500).nullable().optional(),
    runtime_state: about('`wedged`: it cannot work.', z.enum(['', 'wedged'])).default(''),
    uptime_seconds: count.optional(),
    state: about('The state of the agent, as lists show it.', z.enum(STANDINGS)).optional(),
    paused: about(
      'A person has paused the agent on its host: it is not nudged. Absent if not.',
      strict({ until_utc: about('Null: until a person resumes it.', instant.nullable()) }),
    ).optional(),
    ...hostFacts,
    leaving: about(
      'The gateway stops: the agent is offline at once, not only after missed heartbeats.',
      z.boolean(),
    ).default(false),
    wait_seconds: about(
      'How long to hold the response until a message comes.',
      z.number().min(0).max(25),
    ).default(0),
    mail_version: about(
      'The version of its mailbox on this server that the gateway knows; the response is then held for mail, too.',
      text.max(100),
    ).optional(),
    takes_calls: about('It carries out calls from other hosts and sends their results.', z.boolean()).default(
      false,
    ),
    acks,
    outcomes,
    turns,
  }),
);

/** A call of one of the gateway's own routes from another host. */
export const handedCall = name(
  'FleetHandedCall',
  strict({
    id: z.string(),
    caller: about('Who calls, as the server identified them.', z.string()),
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
      'The JSON of the response.',
      smallJson(z.unknown(), LIMITS.bodyBytes.standard).refine(isStorableJson, NOT_STORABLE),
    ).optional(),
  }),
);

export const callAnswered = name(
  'FleetCallAnswered',
  strict({ recorded: about('False: it was answered before, or no caller waits for it.', z.boolean()) }),
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
    mail_version: about('Only when the heartbeat had one.', z.string()).optional(),
    calls: about('Sent once, and only to a gateway that takes them.', z.array(handedCall)),
    next_heartbeat_seconds: about('Send the next heartbeat within this time.', z.number()),
  }),
);

/** Body of `POST /registry/deliveries/ack`, for a gateway that sends no heartbeat soon. */
export const ackBody = name('FleetAckBody', strict({ session_id: identifier, acks, outcomes, turns }));

export const ackAnswer = name(
  'FleetAckAnswer',
  strict({
    acknowledged: about('Acks that were current.', count),
    late: about('Acks that came after the lease of the message ended; they have no effect.', count),
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
    host: about('Where that session runs, as it reported.', z.string()).nullable(),
    host_id: about('The id of that host, whatever its name.', z.string()).nullable(),
    version: about('Version of Rouse on that host.', z.string()).nullable(),
    state: about('The state its gateway reports; its status while no gateway does.', z.enum(AGENT_STATES)),
    paused: about(
      'A person has paused the agent on its host, as its gateway reports it; null if not.',
      strict({ until_utc: about('Null: until a person resumes it.', stamp.nullable()) }).nullish(),
    ),
    since: about("Since when, by the server's clock.", stamp),
    gateway: z.record(z.string(), z.unknown()).nullable(),
    last_heartbeat_at: stamp.nullable(),
    heartbeat_age_seconds: z.number().nullable(),
    active_tasks: count,
    max_concurrent_tasks: count,
    current_task: z.string().nullable(),
    error_rate: z.number(),
    sample_error: z.string().nullable(),
    uptime_seconds: integer.nullable(),
    queue_depth: about('Messages waiting for it.', count),
    registered_at: stamp,
    removed_at: stamp.nullable(),
  }),
);

/** An agent in a list: without what only the route of one agent returns. */
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
  cursor: about('`next_cursor` of the previous page.', z.uuid().optional()),
  after: about('The same by another name: only agents whose id is greater.', z.uuid().optional()),
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
