import {
  asRouseError,
  conflict,
  isRouseError,
  type Log,
  messageOf,
  sha256,
  stableJson,
} from '../../../base/index.ts';
import type { Sql } from '../../../db/index.ts';
import type { PageAudit as AuditPage } from '../../../wire/index.ts';

/** Older rows are dropped as new ones are added. */
const MAX_ROWS = 100_000;
const SWEEP_EVERY = 1000;

export interface Actor {
  name: string;
  role: string;
  sessionId: string | null;
}

export interface Deed {
  action: string;
  target: string | null;
  /** What is worth knowing later; no bodies, no secrets. */
  detail?: Record<string, unknown>;
}

export interface Act extends Deed {
  actionId: string;
  /** The whole request: the same id with a different request is a conflict. */
  asked: unknown;
  /** Repeating it with the same id does nothing twice, so an action with an unknown end is simply sent again. */
  repeatable: boolean;
}

interface Row {
  digest: string;
  session_id: string | null;
  outcome: string | null;
  answer: Record<string, unknown> | null;
}

/** What was done on the page, by whom, and how it ended. A second click finds the first one here. */
export class PageAudit {
  readonly #sql: Sql;
  readonly #log: Log;
  /** Running in this process. */
  readonly #running = new Map<string, Promise<unknown>>();
  #written = 0;

  constructor(sql: Sql, log: Log) {
    this.#sql = sql;
    this.#log = log;
  }

  async note(actor: Actor, { action, target, detail = {} }: Deed, outcome = 'ok'): Promise<void> {
    await this.#sql.query(
      `INSERT INTO page_audit (name, role, session_id, action, target, outcome, detail) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [actor.name, actor.role, actor.sessionId, action, target, outcome, detail],
    );
    await this.#sweep();
  }

  /**
   * Runs the work once and returns the same result to later calls with the same id. `repeated` says that nothing was
   * done now.
   */
  async once<T extends { repeated: boolean }>(actor: Actor, act: Act, work: () => Promise<T>): Promise<T> {
    const { actionId } = act;
    const digest = sha256(stableJson([act.action, act.target, act.asked]));
    const key = `${actionId} ${digest} ${actor.sessionId}`;
    if (this.#running.has(key)) return { ...((await this.#running.get(key)) as T), repeated: true };
    const doing = this.#do(actor, act, digest, work);
    this.#running.set(key, doing);
    try {
      return await doing;
    } finally {
      this.#running.delete(key);
    }
  }

  async #do<T extends { repeated: boolean }>(
    actor: Actor,
    act: Act,
    digest: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const known = await this.#begin(actor, act, digest);
    if (known?.answer) return { ...(known.answer as T), repeated: true };
    if (known && !act.repeatable && known.outcome === null)
      throw conflict('it is not known whether this was done: the server stopped before it finished', {
        hint: 'check the agent, and repeat the action if it is still needed',
      });
    try {
      const answer = await work();
      await this.#end(act.actionId, 'ok', answer);
      return answer;
    } catch (error) {
      const { code, message } = asRouseError(error);
      // A refused action was not done: the same click may be tried again.
      await this.#end(act.actionId, code, null, message).catch((cause: unknown) =>
        this.#log.warn('an action of the page could not be recorded', { cause: messageOf(cause) }),
      );
      throw error;
    }
  }

  /** Undefined: it is new, and its row is stored. */
  async #begin(actor: Actor, act: Act, digest: string): Promise<Row | undefined> {
    const { rowCount } = await this.#sql.query(
      `INSERT INTO page_audit (name, role, session_id, action, target, action_id, digest, detail)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (action_id) DO NOTHING`,
      [
        actor.name,
        actor.role,
        actor.sessionId,
        act.action,
        act.target,
        act.actionId,
        digest,
        act.detail ?? {},
      ],
    );
    if (rowCount === 1) {
      await this.#sweep();
      return undefined;
    }
    const { rows } = await this.#sql.query<Row>(
      'SELECT digest, session_id, outcome, answer FROM page_audit WHERE action_id = $1',
      [act.actionId],
    );
    const known = rows[0];
    if (known && (known.digest !== digest || known.session_id !== actor.sessionId))
      throw conflict('this action_id was used for something else', { hint: 'choose another for each click' });
    return known;
  }

  async #end(actionId: string, outcome: string, answer: object | null, error?: string): Promise<void> {
    await this.#sql.query(
      `UPDATE page_audit SET outcome = $2, answer = $3, detail = detail || $4 WHERE action_id = $1`,
      [actionId, outcome, answer as Record<string, unknown> | null, error === undefined ? {} : { error }],
    );
  }

  /** Newest first. */
  async list(limit: number, before: number | undefined): Promise<AuditPage> {
    const { rows } = await this.#sql.query<{
      id: number;
      at: Date;
      name: string;
      role: string;
      session_id: string | null;
      action: string;
      target: string | null;
      outcome: string | null;
      detail: Record<string, unknown>;
    }>(
      `SELECT id, at, name, role, session_id, action, target, outcome, detail FROM page_audit
        WHERE $2::bigint IS NULL OR id < $2 ORDER BY id DESC LIMIT $1`,
      [limit + 1, before ?? null],
    );
    const shown = rows.slice(0, limit);
    const more = rows.length > limit;
    return {
      entries: shown.map(({ at, outcome, ...row }) => ({
        ...row,
        at_utc: at.toISOString(),
        outcome: outcome ?? 'unknown',
      })),
      next_cursor: more ? String(shown.at(-1)!.id) : null,
      truncated: more,
    };
  }

  async #sweep(): Promise<void> {
    if (this.#written++ % SWEEP_EVERY !== 0) return;
    await this.#sql
      .query('DELETE FROM page_audit WHERE id <= (SELECT max(id) FROM page_audit) - $1', [MAX_ROWS])
      .catch((error: unknown) => {
        if (!isRouseError(error)) throw error;
      });
  }
}
