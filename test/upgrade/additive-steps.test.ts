import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate, type Sql } from '../../src/db/index.ts';
import { FLEET_MIGRATIONS } from '../../src/fleet/index.ts';
import { openTestPostgres, type TestDatabase } from '../support/fleet.ts';

/** The last step of the version that may run beside the next one: later steps must keep it working. */
const RELEASED = '20261116000200_request_recipients';

const released = FLEET_MIGRATIONS.slice(0, FLEET_MIGRATIONS.findIndex(({ id }) => id === RELEASED) + 1);
const later = FLEET_MIGRATIONS.slice(released.length);

/** Changes that break an older server: what it reads or writes is gone, or it would have to write something unknown to it. */
const FORBIDDEN = [
  /\bDROP\s+(TABLE|COLUMN|INDEX|FUNCTION|TRIGGER|CONSTRAINT|VIEW)\b/i,
  /\bRENAME\b/i,
  /\bALTER\s+COLUMN\b/i,
  /\bADD\s+COLUMN\b(?:(?!,|;)[\s\S])*\bNOT\s+NULL\b(?!(?:(?!,|;)[\s\S])*\bDEFAULT\b)(?<!DEFAULT[^,;]*)/i,
  /\bADD\s+CONSTRAINT\b/i,
  /\bCREATE\s+UNIQUE\s+INDEX\b/i,
  /\bTRUNCATE\b/i,
];

describe('a server of the version before, while the next one has changed the layout', () => {
  let database: TestDatabase;
  let sql: Sql;
  beforeAll(async () => {
    database = await openTestPostgres();
    sql = await database.another();
  });
  afterAll(() => database.close());

  it('each step after the released ones only adds', () => {
    expect(released.length).toBeGreaterThan(5);
    // No older server knows what such a step created.
    const made = later.map(({ sql: text }) => text).join('\n');
    const isNew = (what: string, name = '-'): boolean => new RegExp(`CREATE ${what} ${name}\\b`).test(made);
    for (const { id, sql: text } of later) {
      const statements = text
        .split(/;\s*\n/)
        .filter((each) => !isNew('TABLE', /ON (\w+)/.exec(each)?.[1]))
        .filter((each) => !isNew('(UNIQUE )?INDEX', /^\s*DROP INDEX (\w+)/.exec(each)?.[1]));
      for (const statement of statements)
        for (const bad of FORBIDDEN) expect(`${id}: ${statement}`).not.toMatch(bad);
    }
  });

  it('a server of the previous version, on a newer layout, finds every column it knows with the type it had, and its rows are taken without those it does not know', async () => {
    const columns = async (db: Sql) =>
      (
        await db.query<{ name: string; type: string }>(
          `SELECT table_name || '.' || column_name AS name, data_type || ' ' || is_nullable AS type
             FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'schema_migrations'
             ORDER BY 1`,
        )
      ).rows;
    const fresh = await database.another();
    await fresh.exec('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await migrate(fresh, released);
    const before = await columns(fresh);
    await migrate(fresh, FLEET_MIGRATIONS);
    const after = new Map((await columns(fresh)).map(({ name, type }) => [name, type]));
    for (const { name, type } of before) expect([name, after.get(name)]).toEqual([name, type]);
    // As the older program writes them: without columns of later steps.
    await fresh.query("INSERT INTO orgs (id, name) VALUES (gen_random_uuid(), 'o')");
    await fresh.query(
      "INSERT INTO workspaces (id, org_id, agent_id, name) SELECT gen_random_uuid(), id, 'a', 'a' FROM orgs",
    );
    await fresh.query(
      `INSERT INTO a2a_queue (id, org_id, workspace_id, body) SELECT gen_random_uuid(), org_id, id, '{}' FROM workspaces`,
    );
    await fresh.query(
      `INSERT INTO requests (id, org_id, kind, requester_type, requester_id, recipient_type, title)
        SELECT gen_random_uuid(), id, 'task', 'user', 'ana', 'user', 't' FROM orgs`,
    );
    await fresh.query(
      `INSERT INTO tokens (id, kind, subject, token_hash, prefix) VALUES (gen_random_uuid(), 'admin', 'x', 'x', 'x')`,
    );
  });

  it('a server of the previous version, on a newer layout, does not start on a layout it does not know, and says which step that is', async () => {
    expect(sql.dialect).toBe('postgres');
    await expect(migrate(sql, released)).rejects.toMatchObject({
      code: 'unsupported',
      facts: { step: later[0]!.id },
    });
  });
});
