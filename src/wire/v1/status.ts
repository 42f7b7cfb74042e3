import * as z from 'zod';
import {
  ADMISSION,
  CONNECTIVITY,
  EXECUTION,
  EXECUTION_MODES,
  type FieldProblem,
  GATEWAY_HEALTH,
  type GatewayStatusCore,
  LISTENER_HOSTS,
  MODES_ELSEWHERE,
  NEED_KINDS,
  RECOVERY,
  STANDINGS,
  SURFACE_ELIGIBILITY,
  tmuxHandleProblems,
} from '../../domain/index.ts';
import { about, count, integer, name, oneOf, port, rules, stamp, strict } from '../fields.ts';
import { allOurs, ourValues } from '../source/ours.ts';
import { PROTOCOL_VERSION } from './health.ts';
import { agentPause } from './pause.ts';

/** The connection between a gateway and the fleet server of its agent. */
export const fleetConnection = strict({
  url: z.string(),
  workspace_id: z.string(),
  state: about(
    '`refused`: the server rejects the token, or a newer session has taken over.',
    z.enum(['connecting', 'connected', 'away', 'refused']),
  ),
  since_utc: stamp,
  detail: about('The message of the server or the network.', z.string().nullable()),
});

export type FleetConnection = z.infer<typeof fleetConnection>;

/** The state of the CAO server that owns the agent's terminal. */
const ownerStatus = strict({
  base_url: z.string(),
  terminal_id: z.string(),
  window_name: z.string(),
  state: about(
    '`unobserved`: CAO was started after the terminal, so it cannot see it, but can type into it. `window_gone` and `agent_ended` are observed in tmux, whatever CAO reports.',
    z.enum(['ok', 'unobserved', 'unreachable', 'terminal_unknown', 'window_gone', 'agent_ended']),
  ),
  status: about('The status of the agent as CAO reports it.', z.string().nullable()),
  status_stale: about(
    'Keys were pressed that CAO cannot press, so its status may be out of date.',
    z.boolean(),
  ),
  detail: z.string().nullable(),
});

export type OwnerStatus = z.infer<typeof ownerStatus>;

const activeSource = z.enum(['queue', 'direct_prompt', 'reminder', 'mail_notifier']);
const loopTroubles = z.array(
  strict({ loop: z.string(), message: z.string(), failures: count, since_utc: stamp }),
);

const lastTurn = strict({
  source: activeSource,
  id: about('Id of the request or the reminder.', z.string()),
  began_at_utc: stamp,
});

export type LastTurn = z.infer<typeof lastTurn>;
export type ActiveSource = z.infer<typeof activeSource>;
export type LoopTroubles = z.infer<typeof loopTroubles>;

const need = strict({
  kind: z.enum(NEED_KINDS),
  here: about(
    'What to do for a person who sees the screen, when that is shorter than `needs_you`.',
    z.string().optional(),
  ),
  says: about('The same after the name of the agent, when that is shorter.', z.string().optional()),
  command: about('The command that fixes it, when one command does.', z.string().optional()),
});

/** The state of the agent, in words for people. */
export const standing = name(
  'Standing',
  strict({
    state: z.enum(STANDINGS),
    words: z.string(),
    needs_you: about('What a person has to do; null while no one is needed.', z.string().nullable()),
    need: about('What needs attention; absent when nothing does.', need.optional()),
    paused: about('A person has paused the agent. Absent if not.', agentPause.optional()),
  }),
);

const added = {
  gateway_instance_id: z.string().nullish(),
  active_source: about('Where the running execution came from; absent while idle.', activeSource.nullish()),
  last_turn: about('The source of the current or last turn. Absent before the first.', lastTurn.optional()),
  standing: about(
    'Without a live gateway, only while a person is needed or the agent is paused.',
    standing.optional(),
  ),
  fleet: about('Absent for an agent without a fleet.', fleetConnection.optional()),
  cao: about('Only when a CAO server owns the terminal.', ownerStatus.optional()),
  gateway_down: about(
    'The gateway ended unexpectedly too often and stays down; `message` says what to do.',
    strict({
      since_utc: stamp,
      restarts: count,
      exit_code: integer.nullable(),
      message: z.string(),
    }).optional(),
  ),
  troubles: about('Background loops that fail and are retried.', loopTroubles.optional()),
};

const shape = strict({
  schema_version: z.literal(1),
  protocol_version: z.literal(PROTOCOL_VERSION),
  attach_identity: z.string(),
  backend: z.string(),
  tmux_session_name: z.string(),
  gateway_health: z.enum(GATEWAY_HEALTH),
  managed_agent_connectivity: z.enum(CONNECTIVITY),
  managed_agent_recovery: z.enum(RECOVERY),
  request_admission: z.enum(ADMISSION),
  terminal_surface_eligibility: z.enum(SURFACE_ELIGIBILITY),
  active_execution: z.enum(EXECUTION),
  execution_mode: ourValues(MODES_ELSEWHERE, oneOf(EXECUTION_MODES)),
  queue_depth: about('Requests accepted or running.', count),
  gateway_host: z.enum(LISTENER_HOSTS).nullable(),
  gateway_port: port.nullable(),
  gateway_tmux_window_id: z.string().nullable(),
  gateway_tmux_window_index: z.string().nullable(),
  gateway_tmux_pane_id: z.string().nullable(),
  managed_agent_instance_epoch: about('0 only before the first gateway.', count),
  managed_agent_instance_id: z.string().nullable(),
  ...allOurs(added),
});

export const statusFields = shape.shape;

/** Response of `GET /v1/status` and content of state.json. */
export const gatewayStatus = name('GatewayStatus', rules(shape, statusProblems));

export type GatewayStatus = z.infer<typeof gatewayStatus>;

function statusProblems(status: GatewayStatusCore): FieldProblem[] {
  const healthy = status.gateway_health === 'healthy';
  const problems: FieldProblem[] = [];
  for (const field of ['gateway_host', 'gateway_port'] as const) {
    if (healthy !== (status[field] !== null)) {
      const must = healthy
        ? 'is required when gateway_health is healthy'
        : 'must be null unless gateway_health is healthy';
      problems.push({ path: [field], message: must });
    }
  }
  if (healthy && status.managed_agent_instance_epoch < 1) {
    problems.push({
      path: ['managed_agent_instance_epoch'],
      message: 'must be >= 1 when gateway_health is healthy',
    });
  }
  const handle = {
    windowId: status.gateway_tmux_window_id,
    windowIndex: status.gateway_tmux_window_index,
    paneId: status.gateway_tmux_pane_id,
  };
  return problems.concat(
    tmuxHandleProblems(handle, {
      mode: status.execution_mode,
      required: healthy ? ['windowId', 'windowIndex'] : [],
      names: {
        windowId: 'gateway_tmux_window_id',
        windowIndex: 'gateway_tmux_window_index',
        paneId: 'gateway_tmux_pane_id',
      },
    }),
  );
}
