import * as z from 'zod';
import {
  PUBLIC_REQUEST_KINDS,
  REQUEST_OUTCOMES,
  REQUEST_PRIORITIES,
  REQUEST_STATES,
} from '../../domain/index.ts';
import {
  about,
  count,
  instant,
  integer,
  name,
  notBlank,
  oneLine,
  oneOf,
  schemaVersion,
  stamp,
  strict,
} from '../fields.ts';
import { allOurs } from '../source/ours.ts';
import { chatSession, executionOverride, promptText } from './prompt-options.ts';

export const submitPromptPayload = name(
  'SubmitPromptPayload',
  strict({
    prompt: promptText,
    turn_id: notBlank.nullish(),
    chat_session: chatSession.nullish(),
    execution: executionOverride.nullish(),
  }),
);

export const interruptPayload = name(
  'InterruptPayload',
  strict({
    turn_of: about(
      'Interrupt only while the turn of this request is running. If the turn has ended before the keys are pressed, none are pressed and the outcome is `superseded`.',
      oneLine.max(200).nullish(),
    ),
  }),
);

const envelope = {
  schema_version: schemaVersion(1),
  idempotency_key: about(
    'A retry with the same key is the same request; the same key with another body is a conflict.',
    oneLine.max(200).nullish(),
  ),
  expires_at: about('The request is not started after this time.', instant.nullish()),
  priority: about(
    '`high` for people, `low` for machines. Default `normal`.',
    z.enum(REQUEST_PRIORITIES).nullish(),
  ),
};

/** Body of `POST /v1/requests`. */
export const requestBody = name(
  'RequestBody',
  z.discriminatedUnion('kind', [
    strict({
      ...envelope,
      kind: z.literal('submit_prompt'),
      payload: submitPromptPayload,
      wait_in_line: about(
        'A headless agent refuses a prompt while another is running; with true, it is queued instead.',
        z.boolean().nullish(),
      ),
    }),
    strict({ ...envelope, kind: z.literal('interrupt'), payload: interruptPayload }),
  ]),
);

/** The request is stored and survives the gateway. It has not been typed yet. */
export const requestAccepted = name(
  'RequestAccepted',
  strict({
    request_id: z.string(),
    request_kind: z.enum(PUBLIC_REQUEST_KINDS),
    state: about('`accepted`; for a duplicate, its state now.', oneOf(REQUEST_STATES)),
    accepted_at_utc: stamp,
    queue_depth: count,
    managed_agent_instance_epoch: integer.positive(),
    ...allOurs({
      duplicate: about(
        'The idempotency key was known; this is the first request with it.',
        z.boolean().optional(),
      ),
      outcome: about('For a duplicate: how it ended, null until then.', oneOf(REQUEST_OUTCOMES).nullish()),
    }),
  }),
);

export type SubmitPromptPayload = z.infer<typeof submitPromptPayload>;
export type InterruptPayload = z.infer<typeof interruptPayload>;
export type RequestBody = z.infer<typeof requestBody>;
export type RequestInput = z.input<typeof requestBody>;
export type RequestAccepted = z.infer<typeof requestAccepted>;
