import type { Clock } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { SweepResult } from './sweep.ts';

/** A server that dies during a pass is replaced after this long; a live one renews in time. */
const SWEEPER_LEASE_SECONDS = 15;
const RENEW_EVERY_MS = 5000;

export interface Lease {
  name: string;
  holder: string;
}

/**
 * Uses the database's clock, so servers need not agree about the time. False: another server has it. A lease longer
 * than any we take comes from a clock that was set back since, and blocks no one.
 */
export async function takeLease(sql: Sql, { name, holder }: Lease): Promise<boolean> {
  const { rowCount } = await sql.query(
    `INSERT INTO sweepers AS s (name, holder, lease_until, last_started_at)
     VALUES ($1, $2, now() + interval '${SWEEPER_LEASE_SECONDS} seconds', now())
     ON CONFLICT (name) DO UPDATE
       SET holder = excluded.holder, lease_until = excluded.lease_until, last_started_at = excluded.last_started_at
     WHERE s.holder IS NULL OR s.holder = excluded.holder OR s.lease_until < now()
       OR s.lease_until > now() + interval '${SWEEPER_LEASE_SECONDS} seconds'`,
    [name, holder],
  );
  return rowCount === 1;
}

/** Returns the lease and stores the result of the pass. A lease that another server took over is left alone. */
export async function endLease(
  sql: Sql,
  { name, holder }: Lease,
  outcome: { result: SweepResult | null; error: string | null },
): Promise<void> {
  await sql.query(
    `UPDATE sweepers SET holder = NULL, lease_until = NULL, last_finished_at = now(), last_error = $4,
            last_result = coalesce($3::jsonb, last_result), runs = runs + 1,
            failures = failures + CASE WHEN $4::text IS NULL THEN 0 ELSE 1 END
      WHERE name = $1 AND holder = $2`,
    [name, holder, outcome.result, outcome.error],
  );
}

/** Renews until stopped; calls `onLost` if another server has it, or if renewing fails until it runs out. */
export function keepLease(sql: Sql, clock: Clock, { lease, onLost }: { lease: Lease; onLost: () => void }) {
  let stopped = false;
  let good = clock.monotonic();
  let cancel = clock.after(RENEW_EVERY_MS, () => void renew());

  async function renew(): Promise<void> {
    const renewed = await extend(sql, lease).catch(() => undefined);
    if (stopped) return;
    if (renewed) good = clock.monotonic();
    if (renewed === false || clock.monotonic() - good >= SWEEPER_LEASE_SECONDS * 1000) return onLost();
    cancel = clock.after(RENEW_EVERY_MS, () => void renew());
  }

  return (): void => {
    stopped = true;
    cancel();
  };
}

async function extend(sql: Sql, { name, holder }: Lease): Promise<boolean> {
  const { rowCount } = await sql.query(
    `UPDATE sweepers SET lease_until = now() + interval '${SWEEPER_LEASE_SECONDS} seconds' WHERE name = $1 AND holder = $2`,
    [name, holder],
  );
  return rowCount === 1;
}
