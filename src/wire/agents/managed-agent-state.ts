import * as z from 'zod';
import {
  CONNECTIVITY,
  LAST_TURN_RESULTS,
  LISTED_GATEWAYS,
  SESSION_STATES,
  TURN_PHASES,
} from '../../domain/index.ts';
import { about, integer, name, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';
import { headlessState } from '../v1/headless.ts';
import { requestView } from '../v1/request-views.ts';
import { statusFields as status } from '../v1/status.ts';
import { tuiSnapshot, tuiState } from '../v1/tui-state.ts';
import { anything, identity, managedAgentIdentity, version } from './managed-agent-identity.ts';
import { TURN_STATUSES, turnView } from './managed-agents.ts';

const { tracked_agent_id } = identity;

export const managedAgentList = name(
  'ManagedAgentList',
  strict({
    agents: z.array(
      strict({
        ...identity,
        ...allOurs({
          short_name: about('Its name in its project.', z.string()),
          project: about(
            'Null if its manifest cannot be read.',
            strict({ name: z.string(), directory: z.string() }).nullable(),
          ),
          branch: z.string().nullable(),
          session: z.enum(SESSION_STATES),
          tool_connectivity: about(
            'Whether the tool is running, as its live gateway sees it; null without one.',
            z.enum(CONNECTIVITY).nullable(),
          ),
          gateway: z.enum(LISTED_GATEWAYS),
          gateway_down: about('Why it is down, since when, and what to do.', z.string().nullable()),
          gateway_port: integer.nullable(),
          mail_address: z.string().nullable(),
          tmux_socket: z.string().nullable(),
          lease_expires_at: stamp,
        }),
      }),
    ),
    ...allOurs({ ...version, malformed_records: z.array(z.string()) }),
  }),
);

const RESULTS = [...LAST_TURN_RESULTS, 'unknown'] as const;

const turn = strict({ phase: z.enum(TURN_PHASES), active_turn_id: z.string().nullable() });

const lastTurn = strict({
  result: z.enum(RESULTS),
  turn_id: z.string().nullable(),
  turn_index: integer.nullable(),
  updated_at_utc: stamp.nullable(),
  ...allOurs({
    source: about('For a terminal.', tuiState.shape.last_turn.shape.source.optional()),
    turn: about('For a headless agent whose turns the server runs.', turnView.optional()),
  }),
});

const trouble = strict({ kind: z.string(), message: z.string(), details: z.record(z.string(), z.string()) });

const mailbox = strict({
  transport: z.string(),
  principal_id: z.string(),
  address: z.string(),
  binding: ours(about('The whole binding; its fields depend on the transport.', anything)),
});

const gatewaySummary = strict({
  gateway_health: status.gateway_health,
  managed_agent_connectivity: status.managed_agent_connectivity,
  managed_agent_recovery: status.managed_agent_recovery,
  request_admission: status.request_admission,
  active_execution: status.active_execution,
  queue_depth: status.queue_depth,
  gateway_host: status.gateway_host,
  gateway_port: status.gateway_port,
  ...allOurs({
    pid: integer.nullable(),
    execution_mode: status.execution_mode,
    window_id: z.string().nullable(),
  }),
});

const observer = about(
  'What observes it; null when nothing does, as for a terminal without a gateway.',
  z.enum(['server', 'gateway']).nullable(),
);

const state = {
  tracked_agent_id: z.string(),
  identity: managedAgentIdentity,
  availability: z.enum(['available', 'unavailable']),
  turn,
  last_turn: about('The last turn that ended.', lastTurn),
  diagnostics: z.array(trouble),
  mailbox: mailbox.nullable(),
  gateway: gatewaySummary,
  memory_root: z.null(),
  memo_file: z.null(),
  pages_dir: z.null(),
};

const ownState = {
  ...version,
  session: z.enum(['running', 'lost']),
  observed_by: observer,
  notes: z.array(z.string()),
};

export const managedAgentState = name('ManagedAgentState', strict({ ...state, ...allOurs(ownState) }));

const { tracked_agent_id: _, ...besidesIdentity } = { ...state, ...ownState };
export const managedAgent = name('ManagedAgent', strict({ ...identity, ...allOurs(besidesIdentity) }));

const seen = about('Everything its observer reports; null without an observer.', anything.nullable());

const tuiDetail = strict({
  transport: z.literal('tui'),
  terminal_id: z.string(),
  canonical_terminal_state_route: z.string(),
  canonical_terminal_history_route: z.string(),
  ...tuiState.pick({
    diagnostics: true,
    probe_snapshot: true,
    parsed_surface: true,
    surface: true,
    stability: true,
  }).shape,
  ...allOurs({ observed_by: observer, seen }),
});

const at = stamp.nullable();

const headlessDetail = strict({
  transport: z.literal('headless'),
  ...headlessState.pick({
    runtime_resumable: true,
    tmux_session_live: true,
    can_accept_prompt_now: true,
    interruptible: true,
  }).shape,
  chat_session: headlessState.shape.chat_session.nullable(),
  turn,
  last_turn: lastTurn,
  active_turn_started_at_utc: at,
  active_turn_interrupt_requested_at_utc: at,
  last_turn_status: z.enum(TURN_STATUSES).nullable(),
  last_turn_started_at_utc: at,
  last_turn_completed_at_utc: at,
  last_turn_completion_source: z.string().nullable(),
  last_turn_returncode: integer.nullable(),
  last_turn_history_summary: z.string().nullable(),
  last_turn_error: z.string().nullable(),
  mailbox: mailbox.nullable(),
  gateway: gatewaySummary,
  diagnostics: z.array(trouble),
  ...allOurs({ observed_by: observer, seen }),
});

const { identity: ofState, ...flatState } = besidesIdentity;
export const managedAgentDetail = name(
  'ManagedAgentDetail',
  strict({
    tracked_agent_id,
    identity: ofState,
    summary_state: managedAgentState,
    detail: z.discriminatedUnion('transport', [tuiDetail, headlessDetail]),
    ...allOurs({ ...flatState, agent: anything }),
  }),
);

export const managedAgentHistory = name(
  'ManagedAgentHistory',
  strict({
    tracked_agent_id,
    entries: z.array(
      strict({
        recorded_at_utc: stamp,
        summary: z.string(),
        availability: z.enum(['available', 'unavailable', 'error']),
        turn_phase: turn.shape.phase,
        last_turn_result: z.enum(RESULTS),
        turn_id: z.string().nullable(),
        ...allOurs({
          turn: about('For a headless agent whose turns the server runs.', turnView.optional()),
          request: about('For another headless agent: the request of its gateway.', requestView.optional()),
          screen: about('For a terminal.', tuiSnapshot.optional()),
        }),
      }),
    ),
    ...allOurs({ ...version, observed_by: observer }),
  }),
);
