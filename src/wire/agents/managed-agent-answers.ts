import * as z from 'zod';
import { ERROR_CODES } from '../../base/index.ts';
import { PUBLIC_REQUEST_KINDS } from '../../domain/index.ts';
import { about, integer, name, stamp, strict } from '../fields.ts';
import { FLEET_SERVICE } from '../houmao/index.ts';
import { allOurs } from '../source/ours.ts';
import {
  added,
  detail,
  done,
  managedAgentIdentity,
  named,
  success,
  version,
} from './managed-agent-identity.ts';

/** The fields that the source has in its shorter responses. */
const { tracked_agent_id, manifest_path, session_root, session_name, terminal_id } = named;

const launched = {
  ...version,
  ...success,
  status: z.literal('ok'),
  action: z.literal('launch'),
  pane_id: z.string(),
  tool_pid: integer.nullable(),
  skills_written: z.array(z.string()),
  skills_problem: z.string().nullable(),
  fleet: about(
    'The workspace that it is registered as.',
    strict({ url: z.string(), workspace_id: z.string() }).nullable(),
  ),
  fleet_error: strict({
    code: z.enum(ERROR_CODES),
    message: z.string(),
    hint: z.string().nullable(),
  }).nullable(),
};

export const managedLaunched = name(
  'ManagedLaunched',
  strict({
    ...allOurs({ ...named, ...added, ...launched }),
    ...success,
    tracked_agent_id,
    identity: managedAgentIdentity,
    manifest_path,
    session_root,
    ...detail,
  }),
);

export const launchRegistered = name(
  'LaunchRegistered',
  strict({
    ...allOurs({ ...named, ...added, ...done }),
    ...success,
    session_name,
    terminal_id,
  }),
);

const requestAnswer = {
  request_id: z.string(),
  request_kind: z.enum(PUBLIC_REQUEST_KINDS),
  disposition: z.enum(['accepted', 'no_op']),
  headless_turn_id: z.string().nullable(),
  headless_turn_index: integer.nullable(),
};

const taken = {
  ...version,
  taken_by: about(
    'What accepted it: the durable queue of its gateway, the server that runs its turns, or the terminal itself at once.',
    z.enum(['gateway', 'server', 'terminal']),
  ),
};

export const agentRequestAnswer = name(
  'AgentRequestAnswer',
  strict({ ...success, tracked_agent_id, ...requestAnswer, ...detail, ...allOurs(taken) }),
);

/** Fields of the response to an action on an agent. */
const action = {
  ...success,
  tracked_agent_id,
  ...detail,
  turn_id: z.string().nullable(),
  manifest_path,
  session_root,
};

export const agentInterrupted = name(
  'AgentInterrupted',
  strict({ ...action, ...allOurs({ ...requestAnswer, ...taken }) }),
);

export const managedStopped = name(
  'ManagedStopped',
  strict({
    ...allOurs({
      ...named,
      ...added,
      ...done,
      session: about(
        '`ended`: with everything in it. `left`: it was joined, and continues as before. `gone`: it was gone already.',
        z.enum(['ended', 'left', 'gone']),
      ),
      was_running: z.boolean(),
      notes: z.array(z.string()),
    }),
    ...action,
  }),
);

export const managedRelaunched = name(
  'ManagedRelaunched',
  strict({
    ...named,
    ...added,
    ...done,
    ...detail,
    revived: z.boolean(),
    tool_pid: integer.nullable(),
    notes: z.array(z.string()),
  }),
);

export const serverShutdown = name(
  'ServerShutdown',
  strict({ ...success, ...allOurs({ ...done, ...detail }) }),
);

export const currentServer = name(
  'CurrentServer',
  strict({
    ...version,
    status: z.literal('ok'),
    pid: integer,
    api_base_url: z.string(),
    server_root: z.string(),
    started_at_utc: stamp,
    ...allOurs({
      houmao_service: z.literal(FLEET_SERVICE),
      instance_id: z.string(),
      process_start_ticks: integer.nullable(),
      boot_id: z.string().nullable(),
      host: z.string(),
      port: integer,
    }),
  }),
);
