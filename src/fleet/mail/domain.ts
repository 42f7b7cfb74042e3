import type { Sql } from '../../db/index.ts';

/** The domain of an org's addresses: the configured one, else one made from its name. */
export async function mailDomain(sql: Sql, orgId: string): Promise<string> {
  const { rows } = await sql.query<{ name: string; mail_domain: string | null }>(
    'SELECT name, mail_domain FROM orgs WHERE id = $1::uuid',
    [orgId],
  );
  const { name = 'default', mail_domain = null } = rows[0] ?? {};
  return mail_domain ?? `${name.replaceAll('_', '-').replace(/-+$/, '')}.fleet`;
}
