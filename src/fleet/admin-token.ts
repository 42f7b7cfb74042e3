import { isRouseError, readIfExists, writeFileAtomic } from '../base/index.ts';
import type { Sql } from '../db/index.ts';
import { createToken, DEFAULT_ORG, ensureOrg, hasServerAdmin, identify } from './identity/index.ts';

/**
 * `made`: a new token is in the file. `there`: the token in the file is valid. `elsewhere`: the database has
 * administrators whose tokens are kept somewhere else.
 */
export type AdminToken = 'made' | 'there' | 'elsewhere';

/** The owner of tokens that the server makes itself. */
const SUBJECT = 'admin';

/**
 * Makes sure that someone can let others in: the first administrator of a database gets a token, written to the file.
 * The file is on disk before the token is valid, so no crash leaves a token that no one has.
 */
export async function ensureAdminToken(sql: Sql, file: string): Promise<AdminToken> {
  await ensureOrg(sql, DEFAULT_ORG);
  const kept = readIfExists(file)?.trim();
  if (kept && (await isGood(sql, kept))) return 'there';
  if (await hasServerAdmin(sql)) return 'elsewhere';
  await makeAdminToken(sql, file);
  return 'made';
}

/**
 * Writes a new token to the file for an administrator of the whole server who lost theirs; anyone who can open the
 * database may have one. Tokens made this way before end; administrators with names of their own keep theirs.
 */
export async function replaceAdminToken(sql: Sql, file: string): Promise<AdminToken> {
  await ensureOrg(sql, DEFAULT_ORG);
  await makeAdminToken(sql, file, { endOthers: true });
  return 'made';
}

async function makeAdminToken(sql: Sql, file: string, { endOthers = false } = {}): Promise<void> {
  await sql.transaction(async (tx) => {
    if (endOthers) {
      await tx.query(
        `UPDATE tokens SET revoked_at = now() WHERE kind = 'admin' AND org_id IS NULL AND subject = $1 AND revoked_at IS NULL`,
        [SUBJECT],
      );
    }
    const { token } = await createToken(tx, { kind: 'admin', orgId: null, subject: SUBJECT });
    writeFileAtomic(file, `${token}\n`, { mode: 0o600 });
  });
}

async function isGood(sql: Sql, token: string): Promise<boolean> {
  try {
    const identity = await identify(sql, token);
    return identity.kind === 'admin' && identity.orgId === null;
  } catch (error) {
    if (isRouseError(error) && error.code === 'unauthorized') return false;
    throw error;
  }
}
