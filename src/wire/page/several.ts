import * as z from 'zod';
import { about, strict } from '../fields.ts';

/** Routes that can be called together: what views show and refresh. No streams, no bytes, no held responses. */
const ASKED =
  /^(agents\/[^/?]+(\/(timeline|reminders|ledger\/[^/?]+))?|reminders(\/next)?|mailboxes|mail(\/(message|thread|receipts))?|requests(\/[^/?]+)?|search)(\?[^\s#]*)?$/;
const MAX_ASKED = 16;

export const pageSeveralQuery = strict({
  ask: about(
    'Paths below `/ui/api/` with their queries, one per line.',
    z
      .string()
      .min(1)
      .max(12_000)
      .refine((text) => text.split('\n').length <= MAX_ASKED, `at most ${MAX_ASKED} lines`)
      .refine(
        (text) => text.split('\n').every((line) => ASKED.test(line)),
        'has a route that cannot be called together with others',
      ),
  ),
});

export const pageSeveral = strict({
  answers: about('In the order of the lines.', z.array(strict({ status: z.int(), body: z.unknown() }))),
});

export type PageSeveral = z.infer<typeof pageSeveral>;
