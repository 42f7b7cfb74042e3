import { conflict, crashPoint, internal, sha256, unsupported } from '../base/index.ts';
import type { Sql } from './sql.ts';

/** One additive step of a schema. Never change or reorder a released step; add one at the end. */
export interface SqlMigration {
  id: string;
  sql: string;
}

interface Applied {
  id: string;
  checksum: string;
}

const TABLE = 'schema_migrations';
/** Any fixed number: every process that migrates takes the same advisory lock. */
const LOCK = 7_105_893_221;

/**
 * Brings the schema to the last step. Each step and its record are one transaction under a lock that ends with it, so
 * that servers which start together apply each step once. Writes nothing if nothing is missing.
 */
export async function migrate(sql: Sql, migrations: readonly SqlMigration[]): Promise<void> {
  const ids = new Set(migrations.map(({ id }) => id));
  if (ids.size !== migrations.length) throw internal('two migrations have the same id');
  while ((await missingSteps(sql, migrations)).length > 0) {
    await sql.transaction(async (tx) => {
      // A step, or waiting for another server's step, may take any time.
      await tx.exec('SET LOCAL statement_timeout = 0');
      await tx.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      // First, because a session that looked for the table earlier believes it missing until it locks it.
      await tx.exec(`CREATE TABLE IF NOT EXISTS ${TABLE} (position int PRIMARY KEY, id text NOT NULL UNIQUE,
        checksum text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`);
      const [next] = await stepsAfterApplied(tx, migrations);
      if (!next) return;
      await tx.exec(next.sql);
      await tx.query(`INSERT INTO ${TABLE} (position, id, checksum) VALUES ($1, $2, $3)`, [
        migrations.indexOf(next),
        next.id,
        checksumOf(next),
      ]);
      crashPoint('db.migrated');
    });
  }
}

/** The applied steps must be an unchanged prefix of our list; returns the rest. */
async function missingSteps(sql: Sql, migrations: readonly SqlMigration[]): Promise<SqlMigration[]> {
  const { rows } = await sql.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    TABLE,
  ]);
  return rows[0]?.found ? stepsAfterApplied(sql, migrations) : [...migrations];
}

async function stepsAfterApplied(sql: Sql, migrations: readonly SqlMigration[]): Promise<SqlMigration[]> {
  const applied = await sql.query<Applied>(`SELECT id, checksum FROM ${TABLE} ORDER BY position`);
  applied.rows.forEach((step, index) => {
    refuseOther(step, migrations[index]);
  });
  return migrations.slice(applied.rows.length);
}

function refuseOther(step: Applied, ours: SqlMigration | undefined): void {
  if (ours?.id !== step.id) {
    throw unsupported(
      `the database was written by another version (layout step ${step.id} is unknown here)`,
      {
        hint: 'update Rouse to the version that wrote it, or use another database',
        facts: { step: step.id },
      },
    );
  }
  if (step.checksum !== checksumOf(ours)) {
    throw conflict(`layout step ${step.id} of the database differs from the one of this version`, {
      hint: 'use the version of Rouse that wrote the database',
      facts: { step: step.id },
    });
  }
}

function checksumOf({ sql }: SqlMigration): string {
  return sha256(sql);
}
