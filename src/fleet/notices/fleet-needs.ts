import { commandLine, type Log, messageOf, preview } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { NeedSource, Seen, SeenNeed } from '../../notices/index.ts';
import { agentLink } from '../links.ts';
import { requestsForPeople, TICKETS_CHANNEL } from '../tickets/index.ts';

/** Liveness changes without a notification, and only from one sweep to the next. */
const SILENT_CHECK_MS = 60_000;
/** An agent that has been offline for longer is history. */
const RECENT = "interval '24 hours'";
const MAX_ROWS = 500;
const REQUEST_KEY = 'request:';

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
  readonly #parts: FleetNeedsParts;
  #listening: Promise<() => Promise<void>> | undefined;
  #cancel: () => void = () => {};

  constructor(parts: FleetNeedsParts) {
    this.#parts = parts;
  }

  start(changed: () => void): void {
    const { sql, log } = this.#parts;
    this.#listening = sql.listen(TICKETS_CHANNEL, changed);
    this.#listening.catch((error: unknown) =>
      log.warn('changes of requests are not received', { cause: messageOf(error) }),
    );
    const check = (): void => {
      this.#cancel = this.#parts.after(SILENT_CHECK_MS, () => {
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
    // Beyond the maximum, a request that is not listed may still be open.
    const isCut = asked.length === MAX_ROWS;
    return { needs: [...asked, ...silent], isUnsure: ({ key }) => isCut && key.startsWith(REQUEST_KEY) };
  }

  async #asked(): Promise<SeenNeed[]> {
    const requests = await requestsForPeople(this.#parts.sql, MAX_ROWS);
    return requests.map(({ id, need, agent, person, title, command, href, since }) => ({
      key: `${REQUEST_KEY}${id}:${need === 'request' ? 'asked' : need}`,
      kind: need,
      agent,
      person,
      words: preview(title, 200),
      command,
      href,
      since_utc: since.toISOString(),
      writer: null,
      past: false,
    }));
  }

  /** Those whose gateway reported that it leaves went offline at once, and are not missed. */
  async #silent(): Promise<SeenNeed[]> {
    const { sql, host, livenessSeconds } = this.#parts;
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
      href: agentLink(name),
      since_utc: status_changed_at.toISOString(),
      writer: null,
      past: false,
    }));
  }
}
