import * as z from 'zod';
import { about, stamp, strict } from '../fields.ts';

export const pageWait = strict({
  waiter: about('Who waits.', z.string()),
  whom: about('Who has to answer.', z.string()),
  kind: z.enum(['mail', 'request', 'task']),
  subject: z.string(),
  since_utc: stamp,
  by_utc: about('When the answer is needed; null if that was not stated.', stamp.nullable()),
  overdue: z.boolean(),
  mutual: about('They wait for each other, directly or through others.', z.boolean()),
  href: about('A place of the page that shows it; null if there is none.', z.string().nullable()),
});

/** Who waits for whose answer, the oldest first. */
export const pageWaits = strict({
  waits: z.array(pageWait),
  truncated: about('There are more than are listed.', z.boolean()),
  troubles: z.array(z.string()),
});

export type PageWait = z.infer<typeof pageWait>;
export type PageWaits = z.infer<typeof pageWaits>;
