import { utcSeconds } from '../../../base/index.ts';
import type { Sqlite } from '../../../db/index.ts';
import {
  circleNotice,
  closedCycle,
  composeMail,
  expectedAnswer,
  type MailDocument,
  OPERATOR,
  overdueNotice,
  ROUSE_NAME,
  type WaitEdge,
  type WaitNotice,
} from '../../../domain/index.ts';
import { principalOf } from '../accounts/registration-rows.ts';
import { type Delivered, deliver, type Lookup } from '../deliver.ts';
import { overdueWaits, waitBetween, waitGraph } from './wait-rows.ts';

interface Reporting {
  db: Sqlite;
  active: Lookup;
  at: Date;
}

/** One mail of Rouse, from the operator's mailbox. The key makes it one, also after the index was made again. */
function report(
  { db, active, at }: Reporting,
  { subject, body }: WaitNotice,
  { members, key }: { members: readonly string[]; key: string },
): Delivered | undefined {
  const to = [...new Set([...members, OPERATOR.address])].flatMap((address) => {
    const registration = active(address);
    return registration ? [principalOf(registration)] : [];
  });
  const operator = active(OPERATOR.address);
  if (!operator) return undefined;
  const from = { ...principalOf(operator), display_name: ROUSE_NAME };
  const cut = subject.length > 200 ? `${subject.slice(0, 199)}…` : subject;
  const sent = deliver(
    db,
    active,
    composeMail({ from, to, cc: [], subject: cut, body, at, idempotency_key: `rouse:${key}` }),
  );
  return sent.duplicate ? undefined : sent;
}

/**
 * Reports the circles that this message closed, in its own commit. A wait that repeats another between the same two closes
 * nothing new.
 */
export function reportCircles(
  reporting: Reporting,
  { seq, document }: { seq: number; document: MailDocument },
): Delivered[] {
  if (!expectedAnswer(document.headers).expects_answer) return [];
  const { db, at } = reporting;
  const now = utcSeconds(at);
  const waiter = document.from.address;
  const asked = db.all<{ whom: string }>('SELECT whom FROM waits WHERE seq = ? ORDER BY whom', [seq]);
  return asked.flatMap(({ whom }) => {
    if (waitedBefore(db, { seq, waiter, whom, now })) return [];
    const circle = closedCycle({ waiter, whom }, waitGraph(db, now));
    if (!circle) return [];
    const waits = circle.flatMap(
      (each, n) => waitBetween(db, each, circle[(n + 1) % circle.length]!, now) ?? [],
    );
    const key = `circle:${document.message_id}:${whom}`;
    return report(reporting, circleNotice(waits), { members: circle, key }) ?? [];
  });
}

function waitedBefore(
  db: Sqlite,
  { seq, waiter, whom, now }: { seq: number; waiter: string; whom: string; now: string },
): boolean {
  const row = db.get(
    'SELECT 1 FROM waits WHERE waiter = ? AND whom = ? AND seq <> ? AND ends_utc > ? LIMIT 1',
    [waiter, whom, seq, now],
  );
  return row !== undefined;
}

/** Reports each wait whose answer is late, once. */
export function reportOverdueWaits(reporting: Reporting): Delivered[] {
  const { db, at } = reporting;
  return overdueWaits(db, utcSeconds(at)).flatMap(({ seq, ...edge }) => {
    db.run('UPDATE waits SET reported = 1 WHERE seq = ? AND whom = ?', [seq, edge.whom]);
    return report(reporting, overdueNotice(edge), overdueTo(edge)) ?? [];
  });
}

const overdueTo = ({ waiter, whom, ref }: WaitEdge): { members: string[]; key: string } => ({
  members: [waiter, whom],
  key: `overdue:${ref}:${whom}`,
});
