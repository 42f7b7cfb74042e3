/** A message that a session holds until its lease runs out. `attempt` is the fence of the acknowledgement. */
export interface Leased {
  id: string;
  attempt: number;
  method: string | null;
  body: unknown;
  priority: number;
  expires_at: Date | null;
  idempotency_key: string | null;
}

export type LeasedRow = Leased & { enqueued_at: Date; kind: string | null };

/** Handed out at once, whatever the capacity. */
export const MAX_AT_ONCE = 100;

/** The session that takes messages, and for how long. */
export interface Taker {
  workspaceId: string;
  /** As it registered; its gateway keeps messages across restarts. */
  sessionId: string;
  leaseSeconds: number;
}

/** $2 the session, $4 the seconds. */
export const LEASE = `UPDATE a2a_queue SET status = 'dispatched', dispatched_at = now(), attempts = attempts + 1,
  claimed_by = $2, lease_until = now() + make_interval(secs => $4::float8), next_attempt_at = NULL`;
export const LEASED_COLUMNS =
  'id, attempts AS attempt, method, body, priority, enqueued_at, expires_at, idempotency_key, kind';
