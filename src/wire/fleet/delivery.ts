import * as z from 'zod';
import { DEAD_MESSAGES, LIMITS, MESSAGE_STATUSES } from '../../domain/index.ts';
import {
  about,
  count,
  integer,
  name,
  names,
  nextPage,
  notBlank,
  oneLine,
  oneOf,
  smallJson,
  stamp,
  strict,
  text,
} from '../fields.ts';
import { allOurs, ours } from '../source/ours.ts';

const identifier = oneLine.max(200);
const ignored = smallJson(z.record(z.string(), z.unknown()), 65_536);
const metadata = about('Ignored.', ignored.optional());

/** Body of `POST /workspaces/{workspace_id}/a2a`: a JSON-RPC call of A2A 0.3 or 1.0, with a few more fields. */
export const a2aSendBody = name(
  'FleetA2aSendBody',
  strict({
    jsonrpc: z.literal('2.0').optional(),
    id: z
      .union([z.string().max(200), integer])
      .nullable()
      .optional(),
    method: z.enum(['message/send', 'SendMessage']).default('message/send'),
    params: strict({
      message: strict({
        kind: z.literal('message').optional(),
        role: z.enum(['user', 'ROLE_USER']).optional(),
        messageId: about('The same id and text again is the same message.', identifier.optional()),
        contextId: about('Groups the messages of one conversation.', identifier.optional()),
        parts: about(
          'Text only.',
          z
            .array(strict({ kind: z.literal('text').optional(), text: notBlank, metadata }))
            .min(1)
            .max(100),
        ),
        metadata,
      }),
      expires_in_seconds: about(
        'Dropped if it was not delivered by then.',
        z
          .number()
          .positive()
          .max(366 * 24 * 3600)
          .optional(),
      ),
      priority: about(
        '0 to 100, higher first. Default 50; only administrators may set more.',
        integer.min(0).max(100).optional(),
      ),
      configuration: about('Ignored: the response always comes at once.', ignored.optional()),
      metadata,
    }),
  }),
);

export const a2aQueued = name(
  'FleetA2aQueued',
  strict({
    queued: z.literal(true),
    queue_id: z.string(),
    queue_depth: about('Messages waiting for the agent, including this one; counted up to 1000.', count),
    duplicate: ours(about('It was sent before; this is the first message.', z.boolean())),
    message: z.string(),
  }),
);

/** The state of a message to an agent. Neither its text nor its sender is shown. */
export const deliveryView = name(
  'FleetDelivery',
  strict({
    queue_id: z.string(),
    workspace_id: z.string(),
    status: about(
      "`completed`: the agent's gateway has it. `dropped`: it was never sent. `failed`: see `last_error`.",
      oneOf(MESSAGE_STATUSES),
    ),
    priority: integer,
    attempts: count,
    last_error: z.string().nullable(),
    enqueued_at: stamp,
    dispatched_at: stamp.nullable(),
    completed_at: stamp.nullable(),
    expires_at: stamp.nullable(),
    ...allOurs({
      outcome: about('How it ended in the gateway, once that is known.', z.string()).nullable(),
      outcome_at: stamp.nullable(),
    }),
    response_body: about('Only when it is completed.', z.unknown()),
  }),
);

export const deadLetterQuery = strict({
  workspace_id: z.uuid().optional(),
  status: z.enum(DEAD_MESSAGES).optional(),
  limit: about('1 to 200. Default 50.', integer.min(1).max(200).optional()),
  cursor: about('`next_cursor` of the previous page.', text.max(200).optional()),
});

export const deadLetterList = name(
  'FleetDeadLetterList',
  strict({
    messages: z.array(deliveryView),
    ...nextPage,
  }),
);

export const dropStaleQuery = strict({
  max_age_minutes: about('A whole number above zero. Default 60.', integer.min(1).max(5_256_000).optional()),
  workspace_id: z.uuid().optional(),
});

export const dropStaleAnswer = name('FleetDropStaleAnswer', strict({ dropped: count }));

/** A message of the A2A specification, in either of its versions. */
export const a2aJsonRpc = name(
  'A2aJsonRpc',
  // Where push notifications about a task would go, if they were offered.
  names('url', 'refused', smallJson(z.record(z.string(), z.unknown()), LIMITS.bodyBytes.standard)),
);
export const a2aAgentCard = name('A2aAgentCard', z.record(z.string(), z.unknown()));
