import { createHash, randomBytes } from 'node:crypto';
import { newUuid, notFound, unauthorized } from '../../base/index.ts';
import type { Sql } from '../../db/index.ts';
import type { Grant, TokenKind } from '../../domain/index.ts';
import { type Identity, maySeeOrg, type PersonIdentity } from './identity.ts';

export type NewToken =
  | { kind: 'agent'; orgId: string; workspaceId: string; subject: string; expiresAt?: Date | null }
  | ({ kind: 'user'; orgId: string } & PersonToken)
  | ({ kind: 'admin'; orgId: string | null } & PersonToken);

interface PersonToken {
  subject: string;
  expiresAt?: Date | null;
  grants?: readonly Grant[];
}

/** A token as it may be shown: everything but the secret. */
export interface TokenView {
  id: string;
  kind: TokenKind;
  org_id: string | null;
  org: string | null;
  workspace_id: string | null;
  subject: string;
  grants: Grant[];
  prefix: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const COLUMNS =
  'id, kind, org_id, (SELECT name FROM orgs WHERE orgs.id = org_id) AS org, workspace_id, subject, grants, ' +
  'prefix, created_at, last_used_at, expires_at, revoked_at';
const SCHEME = 'rouse_';
const LENGTH = SCHEME.length + 43;
/** The time of last use is written at most this often, so that reads cost no write. */
const USE_NOTED_EVERY = '5 minutes';

/** Makes a token and returns its secret, the only time it is known. */
export async function createToken(sql: Sql, wanted: NewToken): Promise<{ token: string; view: TokenView }> {
  const token = SCHEME + randomBytes(32).toString('base64url');
  const { rows } = await sql.query<TokenView>(
    `INSERT INTO tokens (id, kind, org_id, workspace_id, subject, token_hash, prefix, expires_at, grants)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[]) RETURNING ${COLUMNS}`,
    [
      newUuid(),
      wanted.kind,
      wanted.orgId,
      wanted.kind === 'agent' ? wanted.workspaceId : null,
      wanted.subject,
      hashOf(token),
      token.slice(0, SCHEME.length + 8),
      wanted.expiresAt ?? null,
      wanted.kind === 'agent' ? [] : [...(wanted.grants ?? [])],
    ],
  );
  return { token, view: rows[0]! };
}

/** For a token `t` and its workspace `w`. */
const GOOD = `(t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
  AND w.status IS DISTINCT FROM 'removed')`;
const REPLACED_BY = `CASE WHEN t.replaced AND w.status <> 'removed' THEN w.session_id END AS replaced_by,
  w.host AS replaced_on, w.registered_at AS replaced_at`;

interface Replacement {
  replaced_by: string | null;
  replaced_on: string | null;
  replaced_at: Date | null;
}

type TokenRow = Pick<TokenView, 'id' | 'kind' | 'org_id' | 'workspace_id' | 'subject' | 'grants'> &
  Replacement & { good: boolean; fresh: boolean };

/**
 * Returns the token's owner. Tokens are looked up by hash, so no comparison of secrets can be timed, and every failure
 * looks the same. A database that fails is an error of its own, never a bad token.
 */
export async function identify(sql: Sql, token: string): Promise<Identity> {
  if (token.length !== LENGTH || !token.startsWith(SCHEME)) throw badToken();
  const { rows } = await sql.query<TokenRow>(
    `SELECT t.id, t.kind, t.org_id, t.workspace_id, t.subject, t.grants, ${GOOD} AS good, ${REPLACED_BY},
        coalesce(t.last_used_at > now() - interval '${USE_NOTED_EVERY}', false) AS fresh
       FROM tokens t LEFT JOIN workspaces w ON w.id = t.workspace_id WHERE t.token_hash = $1`,
    [hashOf(token)],
    { prepared: true },
  );
  const row = rows[0];
  if (!row?.good) throw badToken(row);
  if (!row.fresh) await sql.query('UPDATE tokens SET last_used_at = now() WHERE id = $1', [row.id]);
  if (row.kind === 'agent') {
    return { kind: 'agent', tokenId: row.id, orgId: row.org_id!, workspaceId: row.workspace_id! };
  }
  return { kind: row.kind, tokenId: row.id, orgId: row.org_id, userId: row.subject, grants: row.grants };
}

/** Whether a token that opened a long connection is still valid. */
export async function isTokenGood(sql: Sql, tokenId: string): Promise<boolean> {
  const { rowCount } = await sql.query(
    `SELECT 1 FROM tokens t LEFT JOIN workspaces w ON w.id = t.workspace_id WHERE t.id = $1 AND ${GOOD}`,
    [tokenId],
  );
  return rowCount > 0;
}

/** As an SQL condition: the token with that id is valid, judged by the token alone. */
export const isLiveToken = (id: string): string => `EXISTS (SELECT FROM tokens t WHERE t.id = ${id}
  AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now()))`;

/** For a held response: the token it came with may have ended in the meantime. */
export async function requireLive(sql: Sql, tokenId: string): Promise<void> {
  const { rows } = await sql.query<Replacement & { good: boolean }>(
    `SELECT ${GOOD} AS good, ${REPLACED_BY} FROM tokens t LEFT JOIN workspaces w ON w.id = t.workspace_id
      WHERE t.id = $1::uuid`,
    [tokenId],
    { prepared: true },
  );
  if (!rows[0]?.good) throw badToken(rows[0]);
}

export interface TokenQuery {
  /** Include ended ones. */
  all: boolean;
  limit: number;
  /** The id of the last token on the previous page. */
  after?: string | undefined;
}

/** In the order of their ids, which is the order in which they were made. */
export async function listTokens(
  sql: Sql,
  asker: PersonIdentity,
  { all, limit, after }: TokenQuery,
): Promise<{ tokens: TokenView[]; next: string | null }> {
  const { rows } = await sql.query<TokenView>(
    `SELECT ${COLUMNS} FROM tokens WHERE ($1::uuid IS NULL OR org_id = $1) AND ($2::uuid IS NULL OR id > $2)
        AND ($3::boolean OR (revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())))
      ORDER BY id LIMIT $4::int`,
    [asker.orgId, after ?? null, all, limit + 1],
  );
  const tokens = rows.slice(0, limit);
  return { tokens, next: rows.length > limit ? tokens.at(-1)!.id : null };
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

/** Revokes all tokens of a workspace: another session was registered for it (`replaced`), or it was removed. */
export async function revokeTokensOf(
  sql: Sql,
  workspaceId: string,
  { replaced = false }: { replaced?: boolean } = {},
): Promise<void> {
  await sql.query(
    'UPDATE tokens SET revoked_at = now(), replaced = $2 WHERE workspace_id = $1 AND revoked_at IS NULL',
    [workspaceId, replaced],
  );
}

/** Whether someone exists who could let others in. */
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

/** The holder of a replaced token's secret learns who replaced it; for everyone else all bad tokens look the same. */
function badToken(found?: Replacement): Error {
  if (found?.replaced_by != null) {
    const { replaced_by, replaced_on, replaced_at } = found;
    const where = replaced_on ? ` on host ${replaced_on}` : '';
    return unauthorized(`replaced by session ${replaced_by}${where}`, {
      hint: 'that session speaks for the agent now; "rouse fleet register NAME --take-over" here takes it back',
      facts: {
        cause: 'session_replaced',
        replaced_by,
        host: replaced_on,
        at: replaced_at?.toISOString() ?? null,
      },
    });
  }
  return unauthorized('the token is not valid', {
    hint: 'it may have been revoked; "rouse tokens list" shows which are valid',
  });
}
