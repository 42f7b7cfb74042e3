import { conflict, isRouseError, readIfExists, writeFileAtomic } from '../base/index.ts';
import type { Sql } from '../db/index.ts';
import { createToken, DEFAULT_ORG, ensureOrg, hasServerAdmin, identify } from './identity/index.ts';

/**
 * `made`: a new token is in the file. `there`: the one in the file is good. `elsewhere`: the database has
 * administrators, and their tokens are not here.
 */
export type AdminToken = 'made' | 'there' | 'elsewhere';

/**
 * Sees to it that somebody can let others in: the first administrator of a database gets its token into the file. The
 * file is on disk before the token counts, so that no crash leaves a token nobody has.
 */
export async function ensureAdminToken(sql: Sql, file: string): Promise<AdminToken> {
  await ensureOrg(sql, DEFAULT_ORG);
  const kept = readIfExists(file)?.trim();
  if (kept && (await isGood(sql, kept))) return 'there';
  if (await hasServerAdmin(sql)) return 'elsewhere';
  await makeAdminToken(sql, file);
  return 'made';
}

/** Another token of an administrator of the whole server, in the file; a good one there is not overwritten. */
export async function makeAdminToken(sql: Sql, file: string): Promise<void> {
  const kept = readIfExists(file)?.trim();
  if (kept && (await isGood(sql, kept))) {
    throw conflict(`${file} holds a good token already`, { hint: 'revoke it first, or move the file aside' });
  }
  await sql.transaction(async (tx) => {
    const { token } = await createToken(tx, { kind: 'admin', orgId: null, subject: 'admin' });
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
