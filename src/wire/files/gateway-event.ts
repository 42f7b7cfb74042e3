import * as z from 'zod';
import { ADMISSION_POLICIES, DELIVERY_KINDS, REQUEST_KINDS } from '../../domain/index.ts';
import { stamp } from '../fields.ts';

// Events are a history that grows: each kind names what it always holds, and may hold more. Old lines have no time.
const event = <K extends string, S extends z.ZodRawShape>(kind: K, shape: S) =>
  z.looseObject({ kind: z.literal(kind), at_utc: stamp.optional(), ...shape });

const request = { request_id: z.string(), request_kind: z.enum(REQUEST_KINDS) };
const accepted = { ...request, accepted_at_utc: stamp };
const finished = {
  request_id: z.string(),
  error_detail: z.string().nullish(),
  result_json: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
};
const control = {
  forced: z.boolean().optional(),
  admission_policy: z.enum(ADMISSION_POLICIES).optional(),
  submitted_at_utc: stamp,
  turn_id: z.string().nullish(),
};
const reminder = { reminder_id: z.string(), delivery_kind: z.enum(DELIVERY_KINDS).optional() };

/** One line of events.jsonl. */
export const gatewayEvent = z.discriminatedUnion('kind', [
  event('accepted', accepted),
  event('accepted_internal', accepted),
  event('completed', finished),
  event('failed', finished),
  event('coalesced', { request_id: z.string() }),
  event('control_prompt_submitted', control),
  event('control_prompt_completed', { turn_id: z.string().nullish() }),
  event('control_prompt_failed', { error_detail: z.string().nullish() }),
  event('control_prompt_refused', { error_code: z.string() }),
  event('control_input', {
    escape_special_keys: z.boolean(),
    sequence_preview: z.string().max(120),
    submitted_at_utc: stamp,
  }),
  event('reminder_registered', reminder),
  event('reminder_updated', reminder),
  event('reminder_deleted', reminder),
  event('reminder_deferred', reminder),
  event('reminder_started', reminder),
  event('reminder_completed', reminder),
  event('reminder_failed', reminder),
  event('reminder_lost_on_restart', reminder),
]);

export type GatewayEvent = z.infer<typeof gatewayEvent>;
export type GatewayEventKind = GatewayEvent['kind'];
export const GATEWAY_EVENT_KINDS = gatewayEvent.options.map((option) => option.shape.kind.value);
