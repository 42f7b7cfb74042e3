import * as z from 'zod';
import { DIGEST_SECTIONS } from '../../domain/index.ts';
import { about, count, instant, oneLine, oneOf, stamp, strict } from '../fields.ts';
import { actionId } from './actions.ts';

export const pageDayQuery = strict({
  from: about('Its beginning.', instant),
  to: about('Its end. Default: now.', instant.optional()),
  markdown: about('`true`: only the whole report as Markdown.', z.enum(['true', 'false']).optional()),
  time_zone: about(
    'Zone of the times in it, such as `Europe/Berlin`. Default: UTC.',
    oneLine.max(60).optional(),
  ),
});

export const pageDigestEntry = strict({
  section: oneOf(DIGEST_SECTIONS),
  at_utc: stamp,
  agent: z.string().nullable(),
  text: z.string(),
  more: z.string().nullable(),
  href: about('A place of the page that shows it.', z.string()),
});

/** What happened between two times. */
export const pageDay = strict({
  from_utc: stamp,
  to_utc: stamp,
  counts: about(
    'How many entries each section has; not all of them may be listed.',
    z.record(oneOf(DIGEST_SECTIONS), count),
  ),
  entries: about('The newest first.', z.array(pageDigestEntry)),
  quiet: about('Agents that did nothing.', z.array(z.string())),
  markdown: z.string().nullable(),
  command: about('The command that shows the same.', z.string()),
  troubles: z.array(z.string()),
});

/** When the person was here before; null at their first visit. */
export const pageVisit = strict({ last_utc: stamp.nullable(), now_utc: stamp });

export const pageVisitBody = strict({
  action_id: actionId,
  looked_at: about('Also marks every agent as seen.', z.boolean().default(false)),
});

export type PageDay = z.infer<typeof pageDay>;
export type PageDigestEntry = z.infer<typeof pageDigestEntry>;
export type PageVisit = z.infer<typeof pageVisit>;
