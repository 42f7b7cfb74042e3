import { type WaitEdge, waiterName, whomName } from './wait-edge.ts';

/** Mail of Rouse about waits. */
export interface WaitNotice {
  subject: string;
  body: string;
}

const MAX_NAMED = 5;

function line(edge: WaitEdge): string {
  const { subject, ref, since_utc, by_utc } = edge;
  const needed = by_utc === null ? '' : `, needed by ${by_utc}`;
  return `- ${waiterName(edge)} waits for ${whomName(edge)}: "${subject}" (${ref}, since ${since_utc}${needed})`;
}

/** The wait that ends a circle soonest: the one that is needed first, else the newest, which has cost the least. */
export function wayOut(circle: readonly WaitEdge[]): WaitEdge {
  const before = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  const [first] = circle.toSorted(
    (a, b) => before(a.by_utc ?? '9', b.by_utc ?? '9') || before(b.since_utc, a.since_utc),
  );
  return first!;
}

/** What Rouse writes to agents that wait for each other. `circle`: the waits in order, each for the next one's waiter. */
export function circleNotice(circle: readonly WaitEdge[]): WaitNotice {
  const names = circle.map(waiterName);
  const out = wayOut(circle);
  const shown = names.length > MAX_NAMED ? [...names.slice(0, MAX_NAMED), '…'] : names;
  return {
    subject: `You wait for each other: ${[...shown, names[0]].join(' → ')}`,
    body: [
      'These agents wait for each other, so none of them will be answered:',
      '',
      ...circle.map(line),
      '',
      `The shortest way out: ${whomName(out)} answers "${out.subject}" (${out.ref}) now, with what it knows, even if that is ` +
        `"decide without me". Or ${waiterName(out)} goes on without the answer and archives its message.`,
      '',
      'This is reported once.',
    ].join('\n'),
  };
}

/** What Rouse writes when an answer was needed by now. */
export function overdueNotice(edge: WaitEdge): WaitNotice {
  const { subject, ref, by_utc } = edge;
  const [waiter, whom] = [waiterName(edge), whomName(edge)];
  return {
    subject: `Overdue: ${waiter} waits for ${whom}`,
    body: [
      `${waiter} needed an answer to "${subject}" (${ref}) by ${by_utc}, and ${whom} has not answered.`,
      '',
      `${whom}: answer it now, or say that you cannot. ${waiter}: go on without it, or ask someone else, and archive your message.`,
      '',
      'This is reported once.',
    ].join('\n'),
  };
}
