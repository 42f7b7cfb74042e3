import * as z from 'zod';
import { about, count, integer, strict } from '../fields.ts';
import { partyType } from './request-bodies.ts';
import { REQUEST_FILTERS, REQUEST_KINDS } from './request-words.ts';

const page = {
  limit: about('1 to 200. Default 50.', integer.min(1).max(200).optional()),
  cursor: about('Where the page before ended.', z.string().optional()),
};
const filter = about('Default open.', z.enum(REQUEST_FILTERS).optional());
export const inboxListQuery = strict({ status: filter, kind: z.enum(REQUEST_KINDS).optional(), ...page });
export const pendingRequestsQuery = strict({
  status: filter,
  kind: z.enum(REQUEST_KINDS).optional(),
  recipient_type: about('Default: both.', partyType.optional()),
  org_id: about('For an administrator of the whole server.', z.string().optional()),
  ...page,
});
export const requestThreadQuery = strict(page);
export const inboxEventsQuery = strict({
  after: about('The id of the event seen last. Default: from now on.', count.optional()),
});
