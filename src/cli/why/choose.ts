import type { NotifierDecision } from '../../wire/index.ts';
import { isAlike } from './print.ts';
import type { WhySource } from './source.ts';

export interface Choice {
  limit: number;
  at: string | undefined;
  /** Count a run of equal decisions as one. */
  folded?: boolean;
  matches: (decision: NotifierDecision) => boolean;
}

const PAGE = 500;

/** The newest decisions that match, up to the limit. */
export async function choose(
  source: WhySource,
  { limit, at, folded, matches }: Choice,
): Promise<NotifierDecision[]> {
  const found: NotifierDecision[] = [];
  let counted = 0;
  const latest = at === undefined ? Number.POSITIVE_INFINITY : Date.parse(at);
  for (let before: number | undefined; ; ) {
    const page = await source.decisions(PAGE, before);
    for (const decision of page) {
      if (Date.parse(decision.poll_time_utc) > latest || !matches(decision)) continue;
      if (!folded || !isAlike(found.at(-1), decision)) counted++;
      if (counted > limit) return found;
      found.push(decision);
    }
    if (page.length < PAGE) return found;
    before = page.at(-1)!.audit_id;
  }
}
