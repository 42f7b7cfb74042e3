import * as z from 'zod';
import { TICKET_FILTERS, TICKET_KINDS } from '../../domain/index.ts';
import { about, count, integer, oneOf } from '../fields.ts';
import { partyType } from './request-bodies.ts';

const page = {
  limit: about('1 to 200. Default 50.', integer.min(1).max(200).optional()),
  cursor: about('Where the page before ended.', z.string().optional()),
};
const listed = {
  // Any text: the handler answers 400 to a status that it does not know, and names the nearest.
  status: about(
    'Default open.',
    z
      .string()
      .meta({ enum: [...TICKET_FILTERS] })
      .optional(),
  ),
  kind: oneOf(TICKET_KINDS).optional(),
  recipient_type: about('Default: both.', partyType.optional()),
  ...page,
};

/** Queries of the routes under both roofs; `whose` is what only one of them takes. */
export const requestQueries = <S extends z.ZodRawShape>(whose: S) => ({
  any: z.object(whose),
  list: z.object({ ...listed, ...whose }),
  thread: z.object({ ...page, ...whose }),
});

export const chosenOrg = {
  org_id: about('For an administrator of the whole server.', z.string().optional()),
};
export const inboxEventsQuery = z.object({
  after: about('The id of the event seen last. Default: from now on.', count.max(1e15).optional()),
});
