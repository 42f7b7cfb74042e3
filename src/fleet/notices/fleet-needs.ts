import { commandLine, type Log, messageOf, preview } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { OPEN_TICKETS, sqlList } from '../../domain/index.ts';
import type { NeedSource, Seen, SeenNeed } from '../../notices/index.ts';
import { fillPath, PAGE_SHELL_ROUTES } from '../../wire/index.ts';
import { TICKETS_CHANNEL } from '../tickets/index.ts';

/** Liveness changes without a notification, and only from one sweep to the next. */
const SILENT_CHECK_MS = 60_000;
/** An agent that has been offline for longer is history. */
const RECENT = "interval '24 hours'";
const MAX_ROWS = 500;
const OPEN = sqlList(OPEN_TICKETS);

export interface FleetNeedsParts {
  sql: Sql;
  log: Log;
  /** Calls back once, after this long. Returns a function that cancels. */
  after: (ms: number, call: () => void) => () => void;
  /** The name of this host; the needs of its own agents belong to its own host. */
  host: string;
  /** Without a heartbeat for this long, an agent is offline. */
  livenessSeconds: number;
}

/** What people are asked through this server, and agents of other hosts that fell silent. */
export class FleetNeeds implements NeedSource {
  readonly #on: FleetNeedsParts;
  #listening: Promise<() => Promise<void>> | undefined;
  #cancel: () => void = () => {};

  constructor(parts: FleetNeedsParts) {
    this.#on = parts;
  }

  start(changed: () => void): void {
    const { sql, log } = this.#on;
    this.#listening = sql.listen(TICKETS_CHANNEL, changed);
    this.#listening.catch((error: unknown) =>
      log.warn('changes of requests are not received', { cause: messageOf(error) }),
    );
    const check = (): void => {
      this.#cancel = this.#on.after(SILENT_CHECK_MS, () => {
        changed();
        check();
      });
    };
    check();
  }

  async stop(): Promise<void> {
    this.#cancel();
    const listening = this.#listening;
    this.#listening = undefined;
    await listening?.then((stop) => stop()).catch(() => {});
  }

  async look(): Promise<Seen> {
    const [asked, silent] = await Promise.all([this.#asked(), this.#silent()]);
    return { needs: [...asked, ...silent], isUnsure: () => false };
  }

  async #asked(): Promise<SeenNeed[]> {
    const { rows } = await this.#on.sql.query<AskedRow>(
      `SELECT r.id, r.title, r.recipient_type = 'user' AS to_people, r.recipient_id, r.created_at, r.escalated_at,
              CASE r.requester_type WHEN 'user' THEN r.requester_id
                ELSE (SELECT name FROM workspaces w WHERE w.id::text = r.requester_id) END AS requester,
              (SELECT name FROM workspaces w WHERE w.id = r.recipient_workspace_id) AS recipient
         FROM requests r
        WHERE r.status IN ${OPEN} AND (r.recipient_type = 'user' AND r.turn = 'recipient' OR r.escalated_at IS NOT NULL)
        ORDER BY r.created_at LIMIT ${MAX_ROWS}`,
    );
    return rows.map((row) => ({
      key: `request:${row.id}:${row.to_people ? 'asked' : 'overdue'}`,
      kind: row.to_people ? 'request' : 'overdue',
      agent: row.to_people ? row.requester : row.recipient,
      person: row.to_people && row.recipient_id !== '' ? row.recipient_id : null,
      words: preview(row.title, 200),
      command: commandLine`rouse requests show ${row.id}`,
      href: `${PAGE_SHELL_ROUTES['page.shell.requests'].path}?id=${row.id}`,
      since_utc: (row.to_people ? row.created_at : (row.escalated_at ?? row.created_at)).toISOString(),
      writer: null,
      past: false,
    }));
  }

  /** Those whose gateway reported that it leaves went offline at once, and are not missed. */
  async #silent(): Promise<SeenNeed[]> {
    const { sql, host, livenessSeconds } = this.#on;
    const { rows } = await sql.query<{ id: string; name: string; status_changed_at: Date }>(
      `SELECT id, name, status_changed_at FROM workspaces
        WHERE status = 'offline' AND host IS NOT NULL AND host <> $1 AND status_changed_at > now() - ${RECENT}
          AND status_changed_at >= last_heartbeat_at + make_interval(secs => $2::float8)
        ORDER BY id LIMIT ${MAX_ROWS}`,
      [host, livenessSeconds],
    );
    return rows.map(({ id, name, status_changed_at }) => ({
      key: `gateway_dead:${id}`,
      kind: 'gateway_dead',
      agent: name,
      person: null,
      words: 'its host has sent no heartbeat',
      command: commandLine`rouse fleet show ${name}`,
      href: fillPath(PAGE_SHELL_ROUTES['page.shell.agent'].path, () => encodeURIComponent(name)),
      since_utc: status_changed_at.toISOString(),
      writer: null,
      past: false,
    }));
  }
}

interface AskedRow {
  id: string;
  title: string;
  to_people: boolean;
  recipient_id: string;
  requester: string | null;
  recipient: string | null;
  created_at: Date;
  escalated_at: Date | null;
}
