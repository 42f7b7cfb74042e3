import * as z from 'zod';
import { TICKET_FILTERS, TICKET_KINDS } from '../../domain/index.ts';
import { about, count, integer, oneOf } from '../fields.ts';
import { partyType } from './request-bodies.ts';

const page = {
  limit: about('1 to 200. Default 50.', integer.min(1).max(200).optional()),
  cursor: about('`next_cursor` (of a thread: `earlier_cursor`) of the previous page.', z.string().optional()),
};
const listed = {
  // Any text: the handler refuses an unknown status with 400 and names the closest match.
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

/** Queries of both kinds of request routes; `whose` is what only one of them takes. */
export const requestQueries = <S extends z.ZodRawShape>(whose: S) => ({
  any: z.object(whose),
  list: z.object({ ...listed, ...whose }),
  thread: z.object({ ...page, ...whose }),
});

export const chosenOrg = {
  org_id: about('For an administrator of the whole server.', z.string().optional()),
};
export const waitsQuery = z.object(chosenOrg);
export const inboxEventsQuery = z.object({
  after: about('The id of the last event received. Default: from now on.', count.max(1e15).optional()),
});
