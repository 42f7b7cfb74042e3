import { invalid, newUuid, notFound } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { allowedIn, isName } from '../../domain/index.ts';

export interface Org {
  id: string;
  name: string;
  created_at: Date;
}

export const DEFAULT_ORG = 'default';

/** Returns the tenant of this name; makes it if it does not exist. */
export async function ensureOrg(sql: Sql, name: string): Promise<Org> {
  if (!isName('org', name))
    throw invalid(`an org's name is ${allowedIn('org')}, not ${JSON.stringify(name)}`);
  const { rows } = await sql.query<Org>(
    `INSERT INTO orgs (id, name) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id, name, created_at`,
    [newUuid(), name],
  );
  return rows[0]!;
}

export async function findOrg(sql: Sql, name: string): Promise<Org> {
  const { rows } = await sql.query<Org>('SELECT id, name, created_at FROM orgs WHERE name = $1', [name]);
  if (!rows[0]) throw notFound(`there is no org "${name}"`);
  return rows[0];
}

export async function orgOfId(sql: Sql, id: string): Promise<Org> {
  const { rows } = await sql.query<Org>('SELECT id, name, created_at FROM orgs WHERE id = $1::uuid', [id]);
  if (!rows[0]) throw notFound('the org of this token is gone');
  return rows[0];
}

/** Null: every org. */
export async function listOrgs(sql: Sql, orgId: string | null): Promise<Org[]> {
  const { rows } = await sql.query<Org>(
    'SELECT id, name, created_at FROM orgs WHERE $1::uuid IS NULL OR id = $1 ORDER BY name',
    [orgId],
  );
  return rows;
}
