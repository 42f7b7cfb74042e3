import { isRouseError, nearest, notFound, RouseError } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { CreateRequestBody } from '../../wire/index.ts';
import type { Party } from '../identity/index.ts';
import { resolveWorkspace } from '../registry/index.ts';

/** How many names are searched for a suggestion. */
const MAX_LOOKED_AT = 1000;

/** Returns the recipient that the reference means within the tenant, at this moment; no one outside it can be meant. */
export async function findRecipient(
  sql: Sql,
  orgId: string,
  { recipient_type: type, recipient_id: ref }: Pick<CreateRequestBody, 'recipient_type' | 'recipient_id'>,
): Promise<Party> {
  if (type === 'agent') return { type, id: await findAgent(sql, orgId, ref) };
  return { type, id: ref === '' ? '' : await findPerson(sql, orgId, ref) };
}

async function findAgent(sql: Sql, orgId: string, ref: string): Promise<string> {
  try {
    return (await resolveWorkspace(sql, orgId, ref)).id;
  } catch (error) {
    if (!isRouseError(error) || error.code !== 'not_found') throw error;
    const { rows } = await sql.query<{ name: string; agent_id: string }>(
      `SELECT name, agent_id FROM workspaces WHERE org_id = $1 AND status <> 'removed' LIMIT ${MAX_LOOKED_AT}`,
      [orgId],
    );
    throw suggest(
      error,
      ref,
      rows.flatMap((row) => [row.name, row.agent_id]),
    );
  }
}

/** A person is anyone who holds a token of the tenant; administrators of the whole server belong to every tenant. */
async function findPerson(sql: Sql, orgId: string, ref: string): Promise<string> {
  const { rows } = await sql.query<{ subject: string }>(
    `SELECT DISTINCT subject FROM tokens
      WHERE kind <> 'agent' AND (org_id = $1 OR org_id IS NULL) AND revoked_at IS NULL
        AND (expires_at IS NULL OR expires_at > now())
      ORDER BY subject LIMIT ${MAX_LOOKED_AT}`,
    [orgId],
  );
  const names = rows.map((row) => row.subject);
  if (names.includes(ref)) return ref;
  const missing = notFound(`there is no person "${ref}" with a token of this org`, {
    hint: 'leave recipient_id out to ask anyone in the org; the first answer counts',
  });
  throw suggest(missing, ref, names);
}

function suggest(error: RouseError, ref: string, names: string[]): RouseError {
  const close = nearest(ref, new Set(names));
  if (close.length === 0) return error;
  const hint = `did you mean ${close.map((name) => `"${name}"`).join(' or ')}?`;
  return new RouseError(error.code, error.message, { hint, facts: { ...error.facts, suggestions: close } });
}
