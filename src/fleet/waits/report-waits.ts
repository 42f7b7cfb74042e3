import { isRouseError, sha256 } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { circleNotice, isOverdue, mutualWaits, overdueNotice, shortestCircle } from '../../domain/index.ts';
import { mailFromRouse } from '../mail/index.ts';
import type { FleetWait } from './list-waits.ts';

/** Reports circles and late answers of an org by mail, each once. Returns how many were new. */
export async function reportFleetWaits(
  sql: Sql,
  { orgId, waits, now }: { orgId: string; waits: readonly FleetWait[]; now: Date },
): Promise<{ circles: number; overdue: number }> {
  const counts = { circles: 0, overdue: 0 };
  for (const group of mutualWaits(waits)) {
    const inside = waits.filter(({ waiter, whom }) => group.includes(waiter) && group.includes(whom));
    const circle = shortestCircle(inside) as FleetWait[];
    const key = `circle:${sha256(
      circle
        .map(({ ref }) => ref)
        .toSorted()
        .join('\n'),
    )}`;
    if (await report(sql, { orgId, key, notice: circleNotice(circle), at: now, waits: circle }))
      counts.circles++;
  }
  for (const wait of waits.filter((each) => isOverdue(each, now.getTime()))) {
    const key = `overdue:${wait.ref}:${wait.whom}`;
    if (await report(sql, { orgId, key, notice: overdueNotice(wait), at: now, waits: [wait] }))
      counts.overdue++;
  }
  return counts;
}

interface Report {
  orgId: string;
  key: string;
  notice: ReturnType<typeof circleNotice>;
  at: Date;
  waits: readonly FleetWait[];
}

/** Another server that reports the same at the same moment wins; this one then reports nothing. */
async function report(sql: Sql, { waits, ...mail }: Report): Promise<boolean> {
  const to = [...new Set(waits.flatMap(({ mailboxes }) => mailboxes))];
  try {
    return await mailFromRouse(sql, { ...mail, ...mail.notice, to });
  } catch (error) {
    if (isRouseError(error) && error.code === 'conflict') return false;
    throw error;
  }
}
