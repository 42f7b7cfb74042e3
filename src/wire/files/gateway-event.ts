import * as z from 'zod';
import { ADMISSION_POLICIES, REMINDER_MODES, REQUEST_KINDS } from '../../domain/index.ts';
import { oneOf, stamp } from '../fields.ts';

// Events are history: each kind declares the fields it always has, and may have more. Old lines have no time.
const event = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.looseObject({ kind: z.literal(kind), at_utc: stamp.optional(), ...shape });

const request = { request_id: z.string(), request_kind: oneOf(REQUEST_KINDS) };
/** The same id from a message to its turn; old lines have none. */
const trace_id = z.string().optional();
const accepted = { ...request, trace_id, accepted_at_utc: stamp };
const finished = {
  request_id: z.string(),
  trace_id,
  outcome: z.string().nullish(),
  error_detail: z.string().nullish(),
  result_json: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
};
const reasons = z.array(z.string()).optional();
const evidence = z.array(z.unknown()).optional();
/** `turn_id`: for a headless agent. */
const control = { request_id: z.string().optional(), turn_id: z.string().nullish() };
const reminder = {
  reminder_id: z.string(),
  title: z.string().optional(),
  mode: oneOf(REMINDER_MODES).optional(),
  ranking: z.number().optional(),
  content_preview: z.string().optional(),
  reason: z.string().optional(),
  outcome: z.string().optional(),
  reasons,
};

/** One line of events.jsonl. */
export const gatewayEvent = z.discriminatedUnion('kind', [
  event('accepted', accepted),
  event('accepted_internal', accepted),
  event('completed', finished),
  event('failed', finished),
  event('coalesced', { request_id: z.string(), trace_id, outcome: z.string().nullish() }),
  event('control_prompt_submitted', {
    ...control,
    forced: z.boolean().optional(),
    admission_policy: z.enum(ADMISSION_POLICIES).optional(),
    submitted_at_utc: stamp,
  }),
  event('control_prompt_completed', control),
  event('control_prompt_failed', {
    ...control,
    error_detail: z.string().nullish(),
    outcome: z.string().optional(),
    reasons,
  }),
  event('control_prompt_refused', {
    ...control,
    error_code: z.string(),
    detail: z.string().optional(),
    reasons,
  }),
  event('call_from_afar', {
    call: z.string(),
    caller: z.string(),
    method: z.string(),
    path: z.string(),
    stage: z.enum(['taken', 'answered']),
    status: z.number().optional(),
  }),
  event('control_input', {
    escape_special_keys: z.boolean(),
    sequence_preview: z.string().max(120),
    submitted_at_utc: stamp,
    outcome: z.string().optional(),
    evidence,
  }),
  event('reminder_registered', reminder),
  event('reminder_updated', reminder),
  event('reminder_deleted', reminder),
  event('reminder_deferred', reminder),
  event('reminder_started', reminder),
  event('reminder_completed', reminder),
  event('reminder_failed', reminder),
  event('reminder_missed', reminder),
  event('reminder_lost_on_restart', reminder),
  event('agent_paused', { since_utc: stamp, until_utc: stamp.nullable() }),
  event('agent_resumed', {}),
  event('left_attempt_settled', {
    source: z.string(),
    id: z.string(),
    title: z.string().optional(),
    request_id: z.string(),
    verdict: z.string(),
    evidence,
  }),
]);

export type GatewayEvent = z.infer<typeof gatewayEvent>;
export type GatewayEventKind = GatewayEvent['kind'];

/** The declared fields of a line of this kind besides kind and time; writers may write no others. */
export type FieldsOf<K extends GatewayEventKind> = Named<Extract<GatewayEvent, { kind: K }>>;
type Named<E> = {
  [F in keyof E as string extends F ? never : F extends 'kind' | 'at_utc' ? never : F]: E[F];
};
