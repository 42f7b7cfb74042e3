import { createHash, randomBytes } from 'node:crypto';
import { newUuid, notFound, unauthorized } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import { type Identity, maySeeOrg, type PersonIdentity } from './identity.ts';

export type NewToken =
  | { kind: 'agent'; orgId: string; workspaceId: string; subject: string; expiresAt?: Date | null }
  | { kind: 'user'; orgId: string; subject: string; expiresAt?: Date | null }
  | { kind: 'admin'; orgId: string | null; subject: string; expiresAt?: Date | null };

/** A token as it may be shown: everything but the secret. */
export interface TokenView {
  id: string;
  kind: 'agent' | 'user' | 'admin';
  org_id: string | null;
  org: string | null;
  workspace_id: string | null;
  subject: string;
  prefix: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const COLUMNS =
  'id, kind, org_id, (SELECT name FROM orgs WHERE orgs.id = org_id) AS org, workspace_id, subject, prefix, created_at, ' +
  'last_used_at, expires_at, revoked_at';
const SCHEME = 'rouse_';
const LENGTH = SCHEME.length + 43;
/** The time of last use is written at most this often, so that reading costs no write. */
const USE_NOTED_EVERY = '5 minutes';

/** Makes a token and answers the secret: the only time it is known. */
export async function createToken(sql: Sql, wanted: NewToken): Promise<{ token: string; view: TokenView }> {
  const token = SCHEME + randomBytes(32).toString('base64url');
  const { rows } = await sql.query<TokenView>(
    `INSERT INTO tokens (id, kind, org_id, workspace_id, subject, token_hash, prefix, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
    [
      newUuid(),
      wanted.kind,
      wanted.orgId,
      wanted.kind === 'agent' ? wanted.workspaceId : null,
      wanted.subject,
      hashOf(token),
      token.slice(0, SCHEME.length + 8),
      wanted.expiresAt ?? null,
    ],
  );
  return { token, view: rows[0]! };
}

/**
 * Whose token this is. Looked up by its hash, so that no comparison of secrets can be timed; every failure looks the
 * same. A database that fails is an error of its own, never a bad token.
 */
export async function identify(sql: Sql, token: string): Promise<Identity> {
  if (token.length !== LENGTH || !token.startsWith(SCHEME)) throw badToken();
  const { rows } = await sql.query<Omit<TokenView, 'org'> & { fresh: boolean }>(
    `SELECT id, kind, org_id, workspace_id, subject, coalesce(last_used_at > now() - interval '${USE_NOTED_EVERY}', false) AS fresh FROM tokens t
      WHERE token_hash = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id AND w.status = 'removed')`,
    [hashOf(token)],
  );
  const row = rows[0];
  if (!row) throw badToken();
  if (!row.fresh) await sql.query('UPDATE tokens SET last_used_at = now() WHERE id = $1', [row.id]);
  if (row.kind === 'agent') {
    return { kind: 'agent', tokenId: row.id, orgId: row.org_id!, workspaceId: row.workspace_id! };
  }
  return { kind: row.kind, tokenId: row.id, orgId: row.org_id, userId: row.subject };
}

/** Whether a token that opened a long conversation would still open it. */
export async function isTokenGood(sql: Sql, tokenId: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT 1 FROM tokens t WHERE id = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
        AND NOT EXISTS (SELECT FROM workspaces w WHERE w.id = t.workspace_id AND w.status = 'removed')`,
    [tokenId],
  );
  return rowCount > 0;
}

/** For an answer that was held: the token it came with may have ended meanwhile. */
export async function requireLive(sql: Sql, tokenId: string): Promise<void> {
  const { rowCount } = await sql.query(
    `SELECT FROM tokens WHERE id = $1::uuid AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`,
    [tokenId],
  );
  if (rowCount !== 1) throw badToken();
}

export async function listTokens(sql: Sql, asker: PersonIdentity): Promise<TokenView[]> {
  const { rows } = await sql.query<TokenView>(
    `SELECT ${COLUMNS} FROM tokens WHERE $1::uuid IS NULL OR org_id = $1 ORDER BY created_at, id`,
    [asker.orgId],
  );
  return rows;
}

/** Revoking twice is harmless. */
export async function revokeToken(sql: Sql, asker: PersonIdentity, id: string): Promise<TokenView> {
  const { rows } = await sql.query<TokenView>(
    `UPDATE tokens SET revoked_at = coalesce(revoked_at, now())
      WHERE id::text = $1 AND ($2::uuid IS NULL OR org_id = $2) RETURNING ${COLUMNS}`,
    [id.toLowerCase(), asker.orgId],
  );
  const row = rows[0];
  if (!row || (row.org_id !== null && !maySeeOrg(asker, row.org_id)))
    throw notFound(`there is no token ${id}`);
  return row;
}

/** All tokens of a workspace: it was registered anew, or removed. */
export async function revokeTokensOf(sql: Sql, workspaceId: string): Promise<void> {
  await sql.query('UPDATE tokens SET revoked_at = now() WHERE workspace_id = $1 AND revoked_at IS NULL', [
    workspaceId,
  ]);
}

/** Is there anybody who could let others in? */
export async function hasServerAdmin(sql: Sql): Promise<boolean> {
  const { rows } = await sql.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM tokens WHERE kind = 'admin' AND org_id IS NULL AND revoked_at IS NULL
       AND (expires_at IS NULL OR expires_at > now())) AS found`,
  );
  return rows[0]!.found;
}

function hashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

function badToken(): Error {
  return unauthorized('the token is not valid', {
    hint: 'it may have been revoked; "rouse tokens list" shows which are good',
  });
}
