import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { systemClock } from '../../src/base/index.ts';
import { migrate, openPostgres, type Sql } from '../../src/db/index.ts';
import { type Child, startChild } from '../../src/db/testing.ts';
import { createToken, ensureOrg, FLEET_MIGRATIONS } from '../../src/fleet/index.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';

/** Every nudge and its stamps, recorded by triggers in the transaction that made them. */
const AUDIT = `
  CREATE SCHEMA audit;
  CREATE TABLE audit.stamps (request_id uuid, workspace_id uuid, before timestamptz, after timestamptz, tx bigint);
  CREATE TABLE audit.nudges (id uuid, workspace_id uuid, key text, tx bigint);
  CREATE FUNCTION audit.stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.stamps VALUES (NEW.id, NEW.recipient_workspace_id, OLD.last_nudged_at, NEW.last_nudged_at, txid_current());
    RETURN NULL; END $$;
  CREATE FUNCTION audit.nudge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.nudges VALUES (NEW.id, NEW.workspace_id, NEW.idempotency_key, txid_current());
    RETURN NULL; END $$;
  CREATE TRIGGER stamp AFTER UPDATE ON requests FOR EACH ROW
    WHEN (OLD.last_nudged_at IS DISTINCT FROM NEW.last_nudged_at) EXECUTE FUNCTION audit.stamp();
  CREATE TRIGGER nudge AFTER INSERT ON a2a_queue FOR EACH ROW
    WHEN (NEW.idempotency_key LIKE 'inbox-nudge:%') EXECUTE FUNCTION audit.nudge();`;

/** For connections with the shifted URL, now() is the time in the table. */
const CLOCK = `
  CREATE SCHEMA shifted;
  CREATE TABLE shifted.clock (seconds float8);
  INSERT INTO shifted.clock VALUES (0);
  CREATE FUNCTION shifted.now() RETURNS timestamptz STABLE LANGUAGE sql AS
    $$ SELECT pg_catalog.now() + make_interval(secs => (SELECT seconds FROM shifted.clock)) $$;
  CREATE FUNCTION shifted.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS
    $$ SELECT pg_catalog.clock_timestamp() + make_interval(secs => (SELECT seconds FROM shifted.clock)) $$;`;

const PROGRAM = path.resolve(import.meta.dirname, '../../dist/rouse.cjs');

interface Replica {
  child: Child;
  url: string | undefined;
}

/** Server processes that share one PostgreSQL whose clock the test moves. */
export class ReplicaServers {
  readonly postgres: TestPostgres;
  /** With the moved clock. */
  sql: Sql;
  token: string;
  orgId: string;
  kills = 0;
  #url: string;
  #directory: string;
  #replicas: (Replica | undefined)[] = [];

  private constructor(
    postgres: TestPostgres,
    place: { sql: Sql; url: string; directory: string; token: string; orgId: string },
  ) {
    this.postgres = postgres;
    this.sql = place.sql;
    this.token = place.token;
    this.orgId = place.orgId;
    this.#url = place.url;
    this.#directory = place.directory;
  }

  static async open(): Promise<ReplicaServers> {
    const postgres = await startPostgres();
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'rouse-replicas-'));
    try {
      const plain = await postgres.createDatabase();
      const bare = await openPostgres({ url: plain });
      await bare.exec(CLOCK);
      await bare.close();
      const url = `${plain}&options=${encodeURIComponent('-c search_path=public,shifted,pg_catalog')}`;
      const sql = await openPostgres({ url });
      await migrate(sql, FLEET_MIGRATIONS);
      await sql.exec(AUDIT);
      const { id: orgId } = await ensureOrg(sql, 'default');
      const { token } = await createToken(sql, { kind: 'user', orgId, subject: 'ana' });
      return new ReplicaServers(postgres, { sql, url, directory, token, orgId });
    } catch (error) {
      await postgres.stop();
      throw error;
    }
  }

  /** Addresses of the servers that respond now. */
  get urls(): string[] {
    return this.#replicas.flatMap((replica) => replica?.url ?? []);
  }

  /** Resolves when it responds, or if it died before. */
  async start(index: number, crashAt?: string): Promise<void> {
    const child = startChild(PROGRAM, ['server', 'start', '--port', '0', '--print-json'], {
      ROUSE_HOME: path.join(this.#directory, `home-${index}`),
      DATABASE_URL: this.#url,
      REQUEST_NUDGE_SWEEPER_INTERVAL_S: '1',
      ...(crashAt && { ROUSE_CRASH_AT: crashAt }),
    });
    const replica: Replica = { child, url: undefined };
    this.#replicas[index] = replica;
    void child.ended.then(() => {
      replica.url = undefined;
      this.kills++;
    });
    await Promise.race([child.until((lines) => lines.length > 0), child.ended]).catch(() => {});
    if (child.lines[0]) replica.url = (JSON.parse(child.lines[0]) as { url: string }).url;
  }

  isAlive(index: number): boolean {
    return this.#replicas[index]?.url !== undefined;
  }

  /** Kills it without warning. */
  async kill(index: number): Promise<void> {
    const replica = this.#replicas[index];
    replica?.child.process.kill('SIGKILL');
    await replica?.child.ended;
  }

  async advance(seconds: number): Promise<void> {
    await this.sql.query('UPDATE shifted.clock SET seconds = seconds + $1::float8', [seconds]);
  }

  /** A moment before the full hour. */
  async toTheEdgeOfTheHour(): Promise<void> {
    await this.sql.exec(`UPDATE shifted.clock SET seconds = seconds +
      extract(epoch FROM date_trunc('hour', now()) + interval '1 hour' - now()) - 1.5`);
  }

  async close(): Promise<void> {
    for (const index of this.#replicas.keys()) await this.kill(index);
    await this.sql.close();
    await this.postgres.stop();
    fs.rmSync(this.#directory, { recursive: true, force: true });
  }
}

/** Retries until it works, because servers and database are being killed. */
export async function persist<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw error;
      await new Promise<void>((resolve) => systemClock.after(50, resolve));
    }
  }
}
