import * as z from 'zod';
import { ERROR_CODES } from '../../base/index.ts';
import { CONNECTIVITY, EXECUTION_MODES, SURFACE_ELIGIBILITY, TUI_TIMING_FIELDS } from '../../domain/index.ts';
import { about, count, integer, name, stamp, strict } from '../fields.ts';
import { headlessState } from '../v1/headless.ts';
import { gatewayStatus, statusFields } from '../v1/status.ts';
import { TURN_STATUSES, turnView } from './managed-agents.ts';

const identity = {
  tracked_agent_id: z.string(),
  transport: z.enum(['tui', 'headless']),
  backend: z.string(),
  tool: z.string(),
  agent_name: z.string(),
  agent_id: z.string(),
  runtime_session_id: z.string(),
  session_name: z.string(),
  tmux_session_name: z.string(),
  terminal_id: z.string().nullable(),
  owner: about(
    '`server`: launched and owned by it. `host`: by the command line.',
    z.enum(['server', 'host']),
  ),
  joined: about('Somebody started its session by hand, and it was adopted.', z.boolean()),
  working_directory: z.string(),
  manifest_path: z.string(),
  session_root: z.string(),
};

const done = {
  schema_version: z.literal(1),
  status: z.literal('ok'),
  action: z.string(),
  detail: z.string(),
};
const anything = z.record(z.string(), z.unknown());

export const managedAgentIdentity = name('ManagedAgentIdentity', strict(identity));

export const managedAgentList = name(
  'ManagedAgentList',
  strict({
    schema_version: z.literal(1),
    agents: z.array(
      strict({
        ...identity,
        session: z.enum(['running', 'lost', 'stale']),
        tool_connectivity: about(
          'Whether the tool itself is there, as its live gateway sees it; null when none looks.',
          z.string().nullable(),
        ),
        gateway: z.enum(['live', 'silent', 'restarting', 'down', 'not_attached', 'not_capable']),
        gateway_down: about('Why it is down, since when, and what to do.', z.string().nullable()),
        gateway_port: integer.nullable(),
        mail_address: z.string().nullable(),
        tmux_socket: z.string().nullable(),
        lease_expires_at: stamp,
      }),
    ),
    malformed_records: z.array(z.string()),
  }),
);

const state = {
  schema_version: z.literal(1),
  tracked_agent_id: z.string(),
  identity: managedAgentIdentity,
  availability: z.enum(['available', 'unavailable']),
  session: z.enum(['running', 'lost']),
  turn: strict({ phase: z.string(), active_turn_id: z.string().nullable() }),
  last_turn: anything.nullable(),
  observed_by: about(
    'Who looked; null when nobody does, as at a terminal without a gateway.',
    z.enum(['server', 'gateway']).nullable(),
  ),
  gateway: anything,
  mailbox: anything.nullable(),
  notes: z.array(z.string()),
};

export const managedAgentState = name('ManagedAgentState', strict(state));
export const managedAgent = name('ManagedAgent', strict({ ...identity, ...state }));
export const managedAgentDetail = name(
  'ManagedAgentDetail',
  strict({
    ...state,
    detail: strict({
      transport: z.enum(['tui', 'headless']),
      observed_by: z.enum(['server', 'gateway']).nullable(),
      surface: anything.nullable(),
    }),
    agent: anything,
  }),
);

export const managedAgentHistory = name(
  'ManagedAgentHistory',
  strict({
    schema_version: z.literal(1),
    tracked_agent_id: z.string(),
    observed_by: z.enum(['server', 'gateway']).nullable(),
    entries: z.array(anything),
  }),
);

export const managedLaunched = name(
  'ManagedLaunched',
  strict({
    ...identity,
    schema_version: z.literal(1),
    status: z.literal('ok'),
    action: z.literal('launch'),
    pane_id: z.string(),
    tool_pid: integer.nullable(),
    skills_written: z.array(z.string()),
    skills_problem: z.string().nullable(),
    fleet: about(
      'The workspace it was registered as.',
      strict({ url: z.string(), workspace_id: z.string() }).nullable(),
    ),
    fleet_error: strict({
      code: z.enum(ERROR_CODES),
      message: z.string(),
      hint: z.string().nullable(),
    }).nullable(),
  }),
);

export const launchRegistered = name(
  'LaunchRegistered',
  strict({
    ...identity,
    schema_version: z.literal(1),
    status: z.literal('ok'),
    action: z.literal('register'),
  }),
);

export const agentRequestAnswer = name(
  'AgentRequestAnswer',
  strict({
    schema_version: z.literal(1),
    request_id: z.string(),
    request_kind: z.enum(['submit_prompt', 'interrupt']),
    disposition: z.enum(['accepted', 'no_op']),
    taken_by: z.enum(['gateway', 'server', 'terminal']),
    headless_turn_id: z.string().nullable(),
    headless_turn_index: integer.nullable(),
    detail: z.string(),
  }),
);

export const managedStopped = name(
  'ManagedStopped',
  strict({
    ...identity,
    ...done,
    session: about(
      '`ended`: with what ran in it. `left`: it was joined, and goes on as it was before. `gone`: already.',
      z.enum(['ended', 'left', 'gone']),
    ),
    was_running: z.boolean(),
    notes: z.array(z.string()),
  }),
);

export const managedRelaunched = name(
  'ManagedRelaunched',
  strict({
    ...identity,
    ...done,
    revived: z.boolean(),
    tool_pid: integer.nullable(),
    notes: z.array(z.string()),
  }),
);

export const serverShutdown = name('ServerShutdown', strict(done));

export const currentServer = name(
  'CurrentServer',
  strict({
    schema_version: z.literal(1),
    houmao_service: z.literal('houmao-server'),
    instance_id: z.string(),
    pid: integer,
    process_start_ticks: integer.nullable(),
    boot_id: z.string().nullable(),
    host: z.string(),
    port: integer,
    api_base_url: z.string(),
    server_root: z.string(),
    started_at_utc: stamp,
  }),
);

export const turnList = name(
  'TurnList',
  strict({ schema_version: z.literal(1), tracked_agent_id: z.string(), turns: z.array(turnView) }),
);

export const turnEvents = name(
  'TurnEvents',
  strict({
    schema_version: z.literal(1),
    turn_id: z.string(),
    status: z.enum(TURN_STATUSES),
    entries: z.array(anything),
    next_after: about('Give it back as `after` to go on from here.', count),
    more: z.boolean(),
  }),
);

const { chat_session, ...headless } = headlessState.pick({
  runtime_resumable: true,
  tmux_session_live: true,
  can_accept_prompt_now: true,
  interruptible: true,
  chat_session: true,
}).shape;

export const internalHeadlessState = name(
  'InternalHeadlessState',
  strict({
    schema_version: z.literal(1),
    observation: strict({
      observedAtUtc: stamp,
      connectivity: z.enum(CONNECTIVITY),
      unavailableReason: z.string().nullable(),
      sessionLost: z.boolean(),
      sessionName: z.string().optional(),
      instanceId: z.string().nullable(),
      eligibility: z.enum(SURFACE_ELIGIBILITY),
      ready: z.boolean(),
      reasons: z.array(z.string()),
      keysWait: z.string().optional(),
      busy: z.boolean(),
    }),
    headless: strict({
      ...headless,
      chat_session: chat_session.extend({
        startup_default: chat_session.shape.startup_default.extend({ id: z.string().nullable() }),
      }),
      active_turn_id: z.string().nullable(),
    }),
    seen: about('Give it back to be answered when the state differs from this one.', z.string()),
  }),
);

export const liveMail = name(
  'LiveMail',
  strict({
    schema_version: z.literal(1),
    source: z.literal('manifest_binding'),
    transport: z.string(),
    principal_id: z.string(),
    address: z.string(),
    bindings_version: z.string(),
    mailbox: about('The same, and where its parts are, under the name of its transport.', anything),
    gateway: about(
      'The gateway that serves it now, if one does.',
      strict({
        source: z.literal('current_instance'),
        host: z.string(),
        port: integer,
        base_url: z.string(),
        protocol_version: z.literal('v1'),
        state_path: z.string(),
      }),
    ).nullable(),
    gateway_available: z.boolean(),
    managed_agent: strict({
      mode: z.enum(['local', 'server']),
      agent_ref: z.string(),
      tracked_agent_id: z.string().nullable(),
      agent_name: z.string(),
      agent_id: z.string(),
      tmux_session_name: z.string(),
    }),
  }),
);
export const managedGatewayStatus = gatewayStatus;

const changed = <S extends z.ZodType, V extends z.ZodType>(setting: S, value: V) =>
  strict({ setting, from: value, to: value });

/** Answers an attach: the status, and what was changed of a gateway that lived already. */
export const managedAttachAnswer = name(
  'ManagedAttachAnswer',
  strict({
    ...statusFields,
    restarted: about(
      'What restarting a live gateway changed; empty when it is new or was left alone.',
      z.array(
        z.union([
          changed(z.literal('execution_mode'), z.enum(EXECUTION_MODES)),
          changed(z.literal('allow_users'), z.array(integer)),
          changed(z.enum(TUI_TIMING_FIELDS), z.number()),
        ]),
      ),
    ),
  }),
);
