import * as z from 'zod';
import { about, integer, name, notBlank, oneLine, strict, text } from '../fields.ts';
import { LONGEST_KEY, LONGEST_REQUEST_TEXT, LONGEST_TITLE, REQUEST_KINDS } from './request-words.ts';

/** Characters, of which none takes more than two units. */
const atMost = (most: number) => (value: string) =>
  value.length <= most || (value.length <= 2 * most && [...value].length <= most);
const shorter = (most: number): string => `must be at most ${most} characters`;
const longText = notBlank.refine(atMost(LONGEST_REQUEST_TEXT), shorter(LONGEST_REQUEST_TEXT));

export const partyType = z.enum(['agent', 'user']);

/** Body of `POST /requests` and `POST /workspaces/{workspace_id}/requests`. Who asks is told by the token alone. */
export const createRequestBody = name(
  'CreateInboxRequest',
  strict({
    kind: about(
      'A task is answered by done or rejected, an approval by approved or rejected.',
      z.enum(REQUEST_KINDS),
    ),
    recipient_type: partyType,
    recipient_id: about(
      "An agent's workspace id, agent id or name; a person's name. Left out for a person: anyone in the org.",
      text.trim().refine(atMost(LONGEST_TITLE), shorter(LONGEST_TITLE)).default(''),
    ),
    title: about(
      `One line of at most ${LONGEST_TITLE} characters.`,
      oneLine.refine(atMost(LONGEST_TITLE), shorter(LONGEST_TITLE)),
    ),
    detail: about('Markdown.', longText.nullable().default(null)),
    priority: about('0 to 100, higher is more urgent.', integer.min(0).max(100).nullable().default(null)),
    idempotency_key: about(
      'The same key and content again answers with the request that is there.',
      oneLine.refine(atMost(LONGEST_KEY), shorter(LONGEST_KEY)).optional(),
    ),
    org_id: about('Only for an administrator of the whole server: for which tenant.', z.guid().optional()),
  }),
);

/** Body of `…/respond`. The note is kept with the answer, or neither is. */
export const respondRequestBody = name(
  'RespondToInboxRequest',
  strict({
    action: z.enum(['done', 'approved', 'rejected']),
    note: about('A closing word for the requester.', longText.nullable().default(null)),
  }),
);

export const requestMessageBody = name('InboxRequestMessageBody', strict({ body: longText }));

export type CreateRequestBody = z.output<typeof createRequestBody>;
export type CreateRequestInput = z.input<typeof createRequestBody>;
export type RespondRequestBody = z.output<typeof respondRequestBody>;
export type RespondRequestInput = z.input<typeof respondRequestBody>;
