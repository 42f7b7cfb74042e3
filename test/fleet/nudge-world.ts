import type { Log } from '../../src/base/index.ts';
import { newUuid, silentLog } from '../../src/base/index.ts';
import type { Sql, SqlValue } from '../../src/db/index.ts';
import { claim, type enqueue, enqueueAll, type Leased } from '../../src/fleet/delivery/index.ts';
import { ensureOrg } from '../../src/fleet/identity/index.ts';
import {
  NUDGE_DEFAULTS,
  NUDGE_KIND,
  type NudgeDeps,
  type NudgeResult,
  type NudgeSettings,
  nothingToNudge,
  nudgeSweep,
} from '../../src/fleet/nudge/index.ts';
import { acknowledge } from './delivery-support.ts';

export interface NewItem {
  ageMinutes?: number;
  /** Undefined: never. */
  nudgedMinutesAgo?: number;
  nudgeCount?: number;
  status?: string;
  recipientType?: 'agent' | 'user';
  /** The name on the wire; default: the agent's id. */
  recipientId?: string;
  title?: string;
  requester?: { type: 'agent' | 'user'; id: string };
}

export interface Nudge {
  id: string;
  workspace_id: string;
  status: string;
  priority: number;
  method: string;
  idempotency_key: string;
  expires_at: Date | null;
  enqueued_at: Date;
  caller_id: string | null;
  caller_user: string | null;
  last_error: string | null;
  body: {
    method: string;
    params: { message: { messageId: string; role: string; parts: { text: string }[] } };
  };
}

interface SweepDeps {
  enqueue?: typeof enqueue;
  log?: Log;
}

/** Agents, requests and sweeps over one database that holds nothing else. */
export class NudgeWorld {
  readonly sql: Sql;
  orgId = '';

  constructor(sql: Sql) {
    this.sql = sql;
  }

  async clear(): Promise<void> {
    await this.sql.exec('TRUNCATE orgs CASCADE; TRUNCATE sweepers');
    this.orgId = (await ensureOrg(this.sql, 'default')).id;
  }

  async agent({
    status = 'online',
    activeTasks = 0,
    heartbeatMinutesAgo = 0,
    pausedUntil = null as string | null,
  } = {}): Promise<string> {
    const id = newUuid();
    await this.sql.query(
      `INSERT INTO workspaces (id, org_id, agent_id, name, status, active_tasks, session_id, last_heartbeat_at, paused_until)
       VALUES ($1, $2, $3, $3, $4, $5, 'session', now() - make_interval(mins => $6::int), $7::timestamptz)`,
      [id, this.orgId, `agent-${id}`, status, activeTasks, heartbeatMinutesAgo, pausedUntil],
    );
    return id;
  }

  /** `to` null: an agent that does not exist. */
  async item(to: string | null, item: NewItem = {}): Promise<string> {
    const {
      ageMinutes = 11,
      nudgedMinutesAgo,
      nudgeCount,
      status = 'pending',
      recipientType = 'agent',
    } = item;
    const id = newUuid();
    await this.sql.query(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, recipient_id,
         recipient_workspace_id, title, status, created_at, updated_at, last_nudged_at, nudge_count)
       VALUES ($1, $2, 'task', $9, $10, $3, $4, $5, $6, $7, now() - make_interval(secs => $8),
         now() - make_interval(secs => $8), now() - make_interval(secs => $11::float8), $12)`,
      [
        id,
        this.orgId,
        recipientType,
        item.recipientId ?? to ?? '',
        recipientType === 'agent' ? to : null,
        item.title ?? 'a title',
        status,
        ageMinutes * 60,
        item.requester?.type ?? 'user',
        item.requester?.id ?? 'ana',
        nudgedMinutesAgo === undefined ? null : nudgedMinutesAgo * 60,
        nudgeCount ?? (nudgedMinutesAgo === undefined ? 0 : 1),
      ],
    );
    return id;
  }

  sweep(
    settings: Partial<NudgeSettings> = {},
    { sql = this.sql, dryRun = false, ...deps }: SweepDeps & { sql?: Sql; dryRun?: boolean } = {},
  ): Promise<NudgeResult> {
    return this.sweeper(settings, deps).run({ sql, dryRun, signal: new AbortController().signal });
  }

  /** A custom `enqueue` stores messages one after the other. */
  sweeper(settings: Partial<NudgeSettings> = {}, { enqueue: one, log = silentLog }: SweepDeps = {}) {
    const inTurn: NudgeDeps['enqueueAll'] = async (tx, messages) => {
      const stored: { created: boolean }[] = [];
      for (const message of messages) stored.push(await one!(tx, message));
      return stored;
    };
    const all = one ? inTurn : enqueueAll;
    return nudgeSweep({ settings: { ...NUDGE_DEFAULTS, ...settings }, enqueueAll: all, log });
  }

  async nudges(workspaceId?: string): Promise<Nudge[]> {
    const { rows } = await this.sql.query<Nudge>(
      'SELECT * FROM a2a_queue WHERE $1::uuid IS NULL OR workspace_id = $1 ORDER BY enqueued_at, id',
      [workspaceId ?? null],
    );
    return rows;
  }

  async stamped(): Promise<Set<string>> {
    const { rows } = await this.sql.query<{ id: string }>(
      `SELECT id FROM requests WHERE last_nudged_at > now() - interval '1 minute'`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Like a heartbeat: waiting messages go to the gateway, which accepts them. */
  async drain(workspaceId: string): Promise<Leased[]> {
    const session = { workspaceId, sessionId: 'session' };
    const leased = await claim(this.sql, {
      ...session,
      capacity: 10,
      leaseSeconds: 60,
      guards: { [NUDGE_KIND]: nothingToNudge },
    });
    for (const { id, attempt } of leased)
      await acknowledge(this.sql, { ...session, id, attempt, result: 'accepted' });
    return leased;
  }

  /** Lets time pass by moving all stamps into the past. */
  async pass(minutes: number): Promise<void> {
    const ago = `- make_interval(mins => ${minutes})`;
    await this.sql.exec(`
      UPDATE requests SET created_at = created_at ${ago}, updated_at = updated_at ${ago},
        last_nudged_at = last_nudged_at ${ago};
      UPDATE workspaces SET last_inbox_nudge_at = last_inbox_nudge_at ${ago};
      UPDATE a2a_queue SET enqueued_at = enqueued_at ${ago}, expires_at = expires_at ${ago};`);
  }
}

/** The same database with another time: now() in statements is `offset` seconds later. */
export function shifted(sql: Sql, offset: () => number): Sql {
  const later = (text: string): string =>
    text.replace(/\b(now|clock_timestamp)\(\)/g, `($1() + make_interval(secs => ${offset()}))`);
  return {
    ...sql,
    query: <T>(text: string, params?: readonly SqlValue[]) => sql.query<T>(later(text), params),
    exec: (text) => sql.exec(later(text)),
    transaction: (fn, options) => sql.transaction((tx) => fn(shifted(tx, offset)), options),
  };
}

export const textOf = (nudge: { body: unknown }): string =>
  (nudge.body as Nudge['body']).params.message.parts.map(({ text }) => text).join('');
