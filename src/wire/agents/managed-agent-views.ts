import * as z from 'zod';
import { CONNECTIVITY, EXECUTION_MODES, SURFACE_ELIGIBILITY, TUI_TIMING_FIELDS } from '../../domain/index.ts';
import { about, count, integer, name, oneOf, stamp, strict } from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';
import { headlessState } from '../v1/headless.ts';
import { gatewayStatus, statusFields } from '../v1/status.ts';
import { anything, named, version } from './managed-agent-identity.ts';
import { TURN_STATUSES, turnView } from './managed-agents.ts';

const { tracked_agent_id } = named;

export const turnList = name(
  'TurnList',
  strict({ schema_version: z.literal(1), tracked_agent_id: z.string(), turns: z.array(turnView) }),
);

export const turnEvents = name(
  'TurnEvents',
  strict({
    tracked_agent_id,
    turn_id: z.string(),
    entries: z.array(
      strict({
        kind: z.string(),
        message: z.string(),
        turn_index: integer,
        timestamp_utc: stamp,
        payload: about("The tool's own line, when it is a small object.", anything.nullable()),
        ...allOurs({
          provider: z.string().optional(),
          provider_event_type: z.string().nullish(),
          session_id: z.string().nullish(),
          data: anything.optional(),
          raw_payload: z.unknown().optional(),
          raw: about('A line that is not JSON, or is still being written.', z.string().optional()),
        }),
      }),
    ),
    ...allOurs({
      ...version,
      status: z.enum(TURN_STATUSES),
      next_after: about('Pass it as `after` to continue from here.', count),
      more: z.boolean(),
    }),
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
    seen: about('Pass it back to wait until the state differs from this one.', z.string()),
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
    mailbox: about('The same with the places of its parts, as its transport names them.', anything),
    gateway: about(
      'The gateway that serves it now; null without one.',
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

/** Response of an attach: the status, and what changed in a gateway that was running already. */
export const managedAttachAnswer = name(
  'ManagedAttachAnswer',
  strict({
    ...statusFields,
    restarted: ours(
      about(
        'What the restart of a running gateway changed; empty when it is new or was not restarted.',
        z.array(
          z.union([
            changed(z.literal('execution_mode'), oneOf(EXECUTION_MODES)),
            changed(z.literal('allow_users'), z.array(integer)),
            changed(z.enum(TUI_TIMING_FIELDS), z.number()),
          ]),
        ),
      ),
    ),
  }),
);
