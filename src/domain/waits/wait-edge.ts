/** One agent waits for the answer of another. */
export interface WaitEdge {
  /** Mail addresses, or ids of agents. */
  waiter: string;
  whom: string;
  /** Their names, if they are not part of that. */
  waiter_name?: string;
  whom_name?: string;
  /** What it waits with: mail, a request, a task. */
  kind: 'mail' | 'request' | 'task';
  /** The reference of that message or request. */
  ref: string;
  subject: string;
  since_utc: string;
  /** When the answer is needed; null if that was not stated. */
  by_utc: string | null;
}

/** A wait without an answer ends this long after it began, or after the time by which the answer was needed. */
export const WAIT_ENDS_MS = 7 * 24 * 3600_000;

export const waitEndsMs = ({ since_utc, by_utc }: Pick<WaitEdge, 'since_utc' | 'by_utc'>): number =>
  Math.max(Date.parse(since_utc), Date.parse(by_utc ?? since_utc)) + WAIT_ENDS_MS;

export const isOverdue = ({ by_utc }: Pick<WaitEdge, 'by_utc'>, nowMs: number): boolean =>
  by_utc !== null && Date.parse(by_utc) <= nowMs;

const shortName = (address: string): string => address.replace(/@.*/, '');

export const waiterName = ({ waiter, waiter_name: name = shortName(waiter) }: WaitEdge): string => name;
export const whomName = ({ whom, whom_name: name = shortName(whom) }: WaitEdge): string => name;
