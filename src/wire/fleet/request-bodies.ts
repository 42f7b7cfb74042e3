import * as z from 'zod';
import { KINDS_AND_ANSWERS, PARTY_TYPES, TICKET_ANSWERS, TICKET_KINDS } from '../../domain/index.ts';
import { about, integer, name, notBlank, oneLine, oneOf, strict, text } from '../fields.ts';

/** How long the texts of a ticket may be. */
export const MAX_TITLE_LENGTH = 200;
export const MAX_REQUEST_TEXT_LENGTH = 20_000;
export const MAX_KEY_LENGTH = 200;

/** Counts characters; each takes at most two UTF-16 units. */
const atMost = (max: number) => (value: string) =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max);
const shorter = (max: number): string => `must be at most ${max} characters`;
const longText = notBlank
  .max(2 * MAX_REQUEST_TEXT_LENGTH)
  .refine(atMost(MAX_REQUEST_TEXT_LENGTH), shorter(MAX_REQUEST_TEXT_LENGTH));

export const partyType = z.enum(PARTY_TYPES);

/** Body of `POST /requests` and `POST /workspaces/{workspace_id}/requests`. The token alone decides who asks. */
export const createRequestBody = name(
  'CreateInboxRequest',
  strict({
    kind: about(`An answer closes it: ${KINDS_AND_ANSWERS}.`, oneOf(TICKET_KINDS)),
    recipient_type: partyType,
    recipient_id: about(
      "An agent's workspace id, agent id or name; a person's name. Left out for a person: anyone in the org.",
      text
        .trim()
        .max(2 * MAX_TITLE_LENGTH)
        .refine(atMost(MAX_TITLE_LENGTH), shorter(MAX_TITLE_LENGTH))
        .default(''),
    ),
    title: about(
      `One line of at most ${MAX_TITLE_LENGTH} characters.`,
      oneLine.max(2 * MAX_TITLE_LENGTH).refine(atMost(MAX_TITLE_LENGTH), shorter(MAX_TITLE_LENGTH)),
    ),
    detail: about('Markdown.', longText.nullable().default(null)),
    priority: about('0 to 100, higher is more urgent.', integer.min(0).max(100).nullable().default(null)),
    idempotency_key: about(
      'With the same key and content again, the existing request is returned.',
      oneLine
        .max(2 * MAX_KEY_LENGTH)
        .refine(atMost(MAX_KEY_LENGTH), shorter(MAX_KEY_LENGTH))
        .optional(),
    ),
    org_id: about('Only for an administrator of the whole server: for which tenant.', z.guid().optional()),
  }),
);

/** Body of `…/respond`. Note and answer are stored together or not at all. */
export const respondRequestBody = name(
  'RespondToInboxRequest',
  strict({
    action: z.enum(TICKET_ANSWERS),
    note: about('A closing note for the requester.', longText.nullable().default(null)),
  }),
);

export const requestMessageBody = name('InboxRequestMessageBody', strict({ body: longText }));

export type CreateRequestBody = z.output<typeof createRequestBody>;
export type CreateRequestInput = z.input<typeof createRequestBody>;
export type RespondRequestBody = z.output<typeof respondRequestBody>;
export type RespondRequestInput = z.input<typeof respondRequestBody>;
