import * as z from 'zod';
import { about, integer, nextPage, stamp, strict } from '../fields.ts';

export const SEARCH_KINDS = ['agent', 'mailbox', 'message', 'request', 'prompt'] as const;

export const pageSearchQuery = strict({
  q: about(
    'Words, and the qualifiers `from:`, `to:`, `state:`, `before:2026-01-31`, `after:`.',
    z.string().min(1).max(500),
  ),
  cursor: z.string().max(200).optional(),
  limit: integer.min(1).max(100).default(30),
});

export const pageSearch = strict({
  hits: z.array(
    strict({
      kind: z.enum(SEARCH_KINDS),
      key: z.string(),
      title: z.string(),
      detail: z.string(),
      at_utc: stamp.nullable(),
      href: z.string(),
    }),
  ),
  understood: about('How the query was understood, for people.', z.string()),
  troubles: z.array(z.string()),
  ...nextPage,
});

export type PageSearch = z.infer<typeof pageSearch>;
